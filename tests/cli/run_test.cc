#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/cli/program.h"
#include "palimpsest/model/internal/fake_model.h"
#include "tests/audit/audit_inputs.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"
#include "tests/support/threads_used.h"

namespace palimpsest::cli {
namespace {

struct Finished {
  int status = 0;
  std::string out;
  std::string err;
};

Finished run_here(const std::vector<std::string>& arguments, const ProgramContext& context) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Finished done{.status = run(arguments, context)};
  done.out = testing::internal::GetCapturedStdout();
  done.err = testing::internal::GetCapturedStderr();
  return done;
}

ProgramContext fake_program() {
  return {.make_loader = [](const model::HubEnvironment&) {
    return std::make_unique<model::FakeModelLoader>();
  }};
}

// A disk that fails while the model is read.
class BrokenLoader : public model::FakeModelLoader {
 public:
  std::unique_ptr<model::LanguageModel> load(const std::filesystem::path&,
                                             const model::ModelOptions&) override {
    throw SystemError("the disk failed");
  }
};

// Notes in which number type models are to compute.
class TypeRecorder : public model::FakeModelLoader {
 public:
  explicit TypeRecorder(std::vector<std::optional<kernels::DType>>& types) : types_(types) {}
  std::unique_ptr<model::LanguageModel> load(const std::filesystem::path& folder,
                                             const model::ModelOptions& options) override {
    types_.push_back(options.dtype);
    return FakeModelLoader::load(folder, options);
  }

 private:
  std::vector<std::optional<kernels::DType>>& types_;
};

class RunTest : public testing::Test {
 protected:
  std::vector<std::string> mia(const std::string& out) const {
    const std::string model = (folder_.path() / "model").string();
    std::filesystem::copy(audit::example_file("tiny-tokenizer"), model);
    return {"mia",
            "--model",
            model,
            "--forget",
            folder_.write("forget.jsonl", audit::questions(30, 1)).string(),
            "--holdout",
            folder_.write("holdout.jsonl", audit::questions(30, 2)).string(),
            "--attacks",
            "loss,min_k",
            "--out",
            (folder_.path() / out).string()};
  }

  const TempFolder folder_;
};

TEST_F(RunTest, AnAuditInThisProcess) {
  const Finished done = run_here(mia("out"), fake_program());
  EXPECT_EQ(done.status, 0) << done.err;
  expect_contains(done.out, "min_k");
  expect_contains(done.err, "30 forget and 30 holdout examples");
  for (const char* file : {"mia.json", "scores.csv", "report.html", "traces/forget.jsonl"})
    EXPECT_TRUE(std::filesystem::exists(folder_.path() / "out" / file)) << file;
  expect_contains(folder_.read("out/mia.json"), "\"loss\"");
}

TEST_F(RunTest, ATableOfOnesOwnIsUsed) {
  ProgramContext program = fake_program();
  program.tables.attacks.push_back(
      {.name = "own",
       .measures = "number of labelled tokens",
       .score = [](const trace::Trace& trace, const attack::ParameterValues&) {
         return std::optional<double>(trace.num_labels);
       }});
  expect_contains(run_here({"list", "attacks"}, program).out, "\nown\n");
  std::vector<std::string> arguments = mia("out");
  arguments[8] = "loss,own";
  const Finished done = run_here(arguments, program);
  EXPECT_EQ(done.status, 0) << done.err;
  expect_contains(done.out, "\nown ");
  expect_contains(run_here({"list", "handlers"}, program).out, "\nmia_own ");
}

TEST_F(RunTest, AnAuditOfTracesKeepsToItsThreads) {
  const auto threads_of = [&](const std::string& threads) {
    return threads_used([&] {
      const Finished done =
          run_here({"mia", "--forget-traces", audit::example_file("traces/forget.jsonl").string(),
                    "--holdout-traces", audit::example_file("traces/holdout.jsonl").string(),
                    "--attacks", "loss,min_k", "--independent", "--threads", threads},
                   fake_program());
      EXPECT_EQ(done.status, 0) << done.err;
    });
  };
  EXPECT_EQ(threads_of("1"), 1);
  EXPECT_EQ(threads_of("3"), 3);  // else the line above would prove nothing
}

TEST_F(RunTest, AWrongCallIsStatusTwo) {
  const Finished unknown = run_here({"audit"}, fake_program());
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.out, "");
  EXPECT_EQ(unknown.err.rfind("palimpsest: ", 0), 0U) << unknown.err;
  EXPECT_EQ(run_here({}, fake_program()).status, 2);
  const Finished missing = run_here({"mia", "--model", "nowhere"}, fake_program());
  EXPECT_EQ(missing.status, 2);
  expect_contains(missing.err, "--forget");
}

TEST_F(RunTest, ARunThatFailsIsStatusOne) {
  const ProgramContext program{
      .make_loader = [](const model::HubEnvironment&) { return std::make_unique<BrokenLoader>(); }};
  const Finished done = run_here(mia("out"), program);
  EXPECT_EQ(done.status, 1);
  expect_contains(done.err, "palimpsest: the disk failed");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out" / "mia.json"));
}

TEST_F(RunTest, HelpAndVersionArePrinted) {
  const Finished help = run_here({"--help"}, fake_program());
  EXPECT_EQ(help.status, 0);
  expect_contains(help.out, "Commands:");
  ProgramContext torch = fake_program();
  torch.libtorch = "9.9";
  const Finished version = run_here({"--version"}, torch);
  EXPECT_EQ(version.status, 0);
  expect_contains(version.out, "libtorch");
  expect_contains(version.out, "9.9");
}

TEST_F(RunTest, AHostProgramSaysWhereTheConfigurationsAre) {
  folder_.write("eval.yaml", "own: configuration\n");
  ProgramContext program = fake_program();
  program.configs = folder_.path();
  const Finished done = run_here({"eval", "--cfg", "job"}, program);
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.out, "own: configuration\n");
}

// On the CPU no result would show another default.
TEST_F(RunTest, TheTypeIsFloat32UnlessTold) {
  std::vector<std::optional<kernels::DType>> types;
  ProgramContext program;
  program.make_loader = [&](const model::HubEnvironment&) {
    return std::make_unique<TypeRecorder>(types);
  };
  const Finished audit = run_here(mia("out"), program);
  EXPECT_EQ(audit.status, 0) << audit.err;
  const std::string folder = folder_.path().string();
  folder_.write("eval.yaml", fmt::format(R"(
model:
  model_args: {{pretrained_model_name_or_path: {0}/model}}
  template_args: {{apply_chat_template: true}}
eval:
  own:
    handler: TOFUEvaluator
    output_dir: {0}/eval
    metrics:
      prob:
        handler: probability
        datasets:
          QA:
            handler: QADataset
            args: {{hf_args: {{path: {0}, name: forget}}, question_key: question, answer_key: answer}}
)",
                                         folder));
  program.configs = folder_.path();
  const Finished evaluation = run_here({"eval"}, program);
  EXPECT_EQ(evaluation.status, 0) << evaluation.err;
  EXPECT_EQ(types, (std::vector<std::optional<kernels::DType>>(2, kernels::DType::kFloat32)));
}

// Only palimpsest-torch answers whether it is of the same build.
TEST_F(RunTest, TheQuestionOfAHandOverIsAnswered) {
  ProgramContext program = fake_program();
  EXPECT_EQ(run_here({"--handover-version"}, program).status, 2);
  program.libtorch = "9.9";
  const Finished done = run_here({"--handover-version"}, program);
  EXPECT_EQ(done.status, 0);
  expect_contains(done.out, "no cuda\n");
}

}  // namespace
}  // namespace palimpsest::cli
