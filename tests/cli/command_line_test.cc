#include "palimpsest/cli/command_line.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>

#include "palimpsest/base/internal/table.h"
#include "tests/support/expect_error.h"

namespace palimpsest::cli {
namespace {

// A program with a command, one with commands below it, and an option that every command has.
class CommandLineTest : public testing::Test {
 protected:
  CommandLineTest() {
    program_.require_subcommand();
    Command audit = program_.subcommand("audit", "Audit a model");
    audit.group("Data").option("--forget", forget_, "Data that the model should not know");
    audit.group("Data").option("--holdout", holdout_, "Data that it never saw").required();
    audit.group("Output")
        .option("--format", format_, "How")
        .one_of({"text", "json"})
        .show_default();
    audit.group("Output").option("--level", levels_, "Levels").separated_by(',').show_default();
    audit.option("FILE", files_, "Further files");
    audit.action([this] { ran_ = "audit"; });
    Command lab = program_.subcommand("lab", "Experiments");
    lab.require_subcommand();
    lab.subcommand("train", "Train a model").action([this] { ran_ = "train"; });
    lab.subcommand("unlearn", "Make it forget").action([this] { ran_ = "unlearn"; });
    program_.on_all_commands([this](Command& command) { command.flag("--quiet", quiet_, "Hush"); });
    program_.help_ending("The end.\n");
  }

  std::string refusal(const std::vector<std::string>& arguments) {
    return error_of([&] { program_.run(arguments); });
  }

  Program program_{"prog", "A program."};
  std::string forget_;
  std::string holdout_;
  std::string format_ = "text";
  std::vector<double> levels_ = {0.1, 0.5};
  std::vector<std::string> files_;
  bool quiet_ = false;
  std::string ran_;
};

TEST_F(CommandLineTest, GeneralOptionsStandBeforeAndAfterTheCommand) {
  program_.run({"audit", "--holdout", "h", "--quiet"});
  EXPECT_EQ(ran_, "audit");
  EXPECT_TRUE(quiet_);
  quiet_ = false;
  program_.run({"--quiet", "lab", "train"});
  EXPECT_TRUE(quiet_);
  EXPECT_EQ(ran_, "train");
}

TEST_F(CommandLineTest, MisspeltCommandsAreCorrected) {
  EXPECT_EQ(refusal({"audti", "--holdout", "h"}),
            "there is no command 'audti'; did you mean 'audit'? `prog help` lists the commands");
  expect_contains(refusal({"lab", "learn"}), "lab has no command 'learn'; did you mean 'unlearn'?");
  expect_contains(refusal({"xyz"}), "there is no command 'xyz'; the commands are audit, lab;");
  expect_contains(refusal({}), "prog needs a command: audit, lab");
  expect_contains(refusal({"lab"}), "lab needs a command: train, unlearn; `prog help lab`");
}

TEST_F(CommandLineTest, MisspeltOptionsAreCorrected) {
  EXPECT_EQ(refusal({"audit", "--holdot", "h"}),
            "audit has no option '--holdot'; did you mean '--holdout'? `prog help audit` lists "
            "the options");
  expect_contains(refusal({"audit", "--hold=h"}), "did you mean '--holdout'");
  expect_contains(refusal({"audit", "-forget", "f"}), "did you mean '--forget'");
  // What is a value is not taken for a name.
  EXPECT_NO_THROW(program_.run({"audit", "--forget", "--holdot", "--holdout", "h"}));
  EXPECT_EQ(forget_, "--holdot");
}

TEST_F(CommandLineTest, OtherMistakesAreSaidAsBefore) {
  expect_contains(refusal({"audit"}), "--holdout is required; `prog help audit` lists the options");
  EXPECT_EQ(
      refusal({"audit", "--holdout", "h", "--format", "jsno"}),
      "--format: 'jsno' is not one of text, json; did you mean 'json'? `prog help audit` lists "
      "the options");
}

TEST_F(CommandLineTest, HelpIsGroupedAndFits) {
  const std::string help = program_.help_on({"audit"});
  expect_contains(help, "Usage: prog audit [OPTIONS] [FILE…]\n");
  expect_contains(help, "\nData:\n  --forget TEXT");
  expect_contains(help, "Data that it never saw (required)");
  expect_contains(help, "\nOutput:\n  --format TEXT");
  expect_contains(help, "How (default: text)");
  expect_contains(help, "Levels (default: 0.1,0.5)");
  expect_contains(help, "\nGeneral:\n  -h, --help");
  EXPECT_LT(help.find("Output:"), help.find("General:"));
  EXPECT_EQ(help.find("The end."), std::string::npos);
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), 80U) << line;
  const std::string all = program_.help_on({});
  expect_contains(all, "Commands:\n  audit         Audit a model\n");
  expect_contains(all, "The end.");
  expect_contains(program_.help_on({"lab", "train"}), "Usage: prog lab train");
  expect_contains(error_of([&] { program_.help_on({"lab", "trian"}); }), "did you mean 'train'?");
}

TEST_F(CommandLineTest, AHelpFlagPrintsTheSame) {
  testing::internal::CaptureStdout();
  program_.run({"lab", "train", "--help"});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), program_.help_on({"lab", "train"}));
  EXPECT_EQ(ran_, "");
}

TEST_F(CommandLineTest, CompletionKnowsWhatIsDeclared) {
  const std::string bash = completion_script(program_.describe(), "bash");
  expect_contains(bash, "words=\"audit lab");
  expect_contains(bash, "\"lab:train\") command=\"lab train\" ;;");
  expect_contains(bash, "--format) words=\"text json\" ;;");
  const std::string zsh = completion_script(program_.describe(), "zsh");
  expect_contains(zsh, "#compdef prog\n");
  expect_contains(zsh, "'--format=[How]:TEXT:(text json)'");
  expect_contains(zsh, "train) _prog_lab_train ;;");
  expect_contains(error_of([&] { completion_script(program_.describe(), "fish"); }), "bash or zsh");
}

TEST(NearestWordsTest, FewLettersApartOrContinued) {
  const std::vector<std::string> known = {"metrics", "merge", "model", "mia", "report"};
  EXPECT_EQ(nearest_words("metric", known), (std::vector<std::string>{"metrics"}));
  EXPECT_EQ(nearest_words("mai", known), (std::vector<std::string>{"mia"}));
  EXPECT_EQ(nearest_words("rep", known), (std::vector<std::string>{"report"}));
  EXPECT_TRUE(nearest_words("audit", known).empty());
}

}  // namespace
}  // namespace palimpsest::cli
