// What an evaluation finds of earlier ones in its folder, whenever these ended.
#include "palimpsest/eval/internal/earlier_run.h"

#include <algorithm>
#include <iterator>

#include "tests/eval/evaluate_fixture.h"
#include "tests/support/before_rename.h"
#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

class EarlierRunTest : public EvaluateTest {
 protected:
  std::filesystem::path out() const { return folder_.path() / "out"; }
  std::filesystem::path in_out(const std::string& name) const { return out() / name; }
  std::string read(const std::string& name) const { return folder_.read("out/" + name); }

  // Different folders are different models.
  Evaluation run_model(const std::string& name, const Json& metrics) {
    const std::filesystem::path model = folder_.path() / name;
    if (!std::filesystem::exists(model)) std::filesystem::copy(folder_.path() / "model", model);
    folder_.write(name + "/config.json", to_line({{"model_type", "llama"}, {"name", name}}));
    Json config = folder_.config(metrics);
    config["model"]["model_args"]["pretrained_model_name_or_path"] = model.string();
    return run(config).at(0);
  }

  // What the caller is told of the log of before.
  static std::vector<std::string> said_of_log(const Evaluation& done) {
    std::vector<std::string> said;
    std::ranges::copy_if(done.notes, std::back_inserter(said), [](const std::string& text) {
      return text.find("TOFU_EVAL.json") != std::string::npos;
    });
    return said;
  }

  // What the folder holds whenever a file is about to be finished, and the file's name.
  std::vector<std::pair<std::string, std::filesystem::path>> states_of(const std::string& model,
                                                                       const Json& metrics) {
    std::vector<std::pair<std::string, std::filesystem::path>> states;
    const BeforeRename hook([&](const char* /*from*/, const char* to) {
      const std::filesystem::path state =
          folder_.path() / ("state" + std::to_string(states.size()));
      std::filesystem::copy(out(), state, std::filesystem::copy_options::recursive);
      states.emplace_back(std::filesystem::path(to).filename().string(), state);
    });
    run_model(model, metrics);
    return states;
  }

  void restore(const std::filesystem::path& state) const {
    std::filesystem::remove_all(out());
    std::filesystem::copy(state, out(), std::filesystem::copy_options::recursive);
  }

  void edit_log(const std::string& metric, double value) const {
    Json edited = log();
    edited[metric]["agg_value"] = value;
    folder_.write("out/TOFU_EVAL.json", to_text(edited));
  }

  static bool is_kept_name(const std::filesystem::path& path) {
    return path.filename().string().find(".old") != std::string::npos;
  }
};

// A's results are kept, B's are never taken for somebody else's, and the end is the same.
TEST_F(EarlierRunTest, KilledBetweenAnyTwoFilesNothingIsLost) {
  run_model("A", suite());
  const std::string log_of_a = read("TOFU_EVAL.json");
  const auto states = states_of("B", suite());
  const std::string log_of_b = read("TOFU_EVAL.json");
  const std::string summary_of_b = read("TOFU_SUMMARY.json");
  ASSERT_NE(log_of_a, log_of_b);
  ASSERT_EQ(read("TOFU_EVAL.json.old"), log_of_a);
  // Three passes of two models: the log is written more than once.
  ASSERT_GE(std::ranges::count(states, "TOFU_EVAL.json", [](auto& one) { return one.first; }), 2);
  for (const auto& [file, state] : states) {
    SCOPED_TRACE(state.filename().string() + ", before " + file);
    restore(state);
    EXPECT_EQ(read("TOFU_EVAL.json.old"), log_of_a);
    const bool still_of_a = read("TOFU_EVAL.json") == log_of_a;
    const Evaluation done = run_model("B", suite());
    EXPECT_EQ(read("TOFU_EVAL.json.old"), log_of_a);
    EXPECT_EQ(read("TOFU_EVAL.json"), log_of_b);
    EXPECT_EQ(read("TOFU_SUMMARY.json"), summary_of_b);
    EXPECT_EQ(std::ranges::count_if(std::filesystem::directory_iterator(out()), is_kept_name), 1);
    // B's own results, as many as there are, are nobody else's.
    const std::vector<std::string> said = said_of_log(done);
    ASSERT_EQ(said.size(), still_of_a ? 1U : 0U);
    if (still_of_a) expect_contains(said[0], "holds results of another model");
  }
}

// One pass gives the traces, one the generations and one the traces of the reference model, and
// each makes several metrics possible.
TEST_F(EarlierRunTest, TheLogIsWrittenOncePerPassAndNotOncePerMetric) {
  const auto writes = [&](const std::string& model, const Json& metrics) {
    int logs = 0;
    const BeforeRename hook([&](const char* /*from*/, const char* to) {
      logs += std::filesystem::path(to) == in_out("TOFU_EVAL.json") ? 1 : 0;
    });
    run_model(model, metrics);
    return logs;
  };
  EXPECT_EQ(writes("A", {{"prob", prob("answer")}}), 1);
  EXPECT_EQ(writes("B", {{"prob", prob("answer")},
                         {"truth_ratio", truth_ratio()},
                         {"min_k", mia("mia_min_k")}}),
            1);
  EXPECT_EQ(writes("C", suite()), 3);
  EXPECT_GT(log().size(), 9U);
}

TEST_F(EarlierRunTest, TheLastFileSaysThatAllIsThere) {
  const auto states = states_of("A", suite());
  std::vector<std::string> files;
  for (const auto& [file, state] : states) {
    if (file.starts_with("TOFU_")) files.push_back(file);
    const auto record = read_run_record(state / "TOFU_RUN.json");
    EXPECT_FALSE(record && record->complete) << file;
  }
  ASSERT_GE(files.size(), 4U);
  EXPECT_EQ(std::vector(files.end() - 4, files.end()),
            (std::vector<std::string>{"TOFU_RUN.json", "TOFU_EVAL.json", "TOFU_SUMMARY.json",
                                      "TOFU_RUN.json"}));
  EXPECT_TRUE(read_run_record(in_out("TOFU_RUN.json"))->complete);
}

TEST_F(EarlierRunTest, ATakenNameIsLeftAlone) {
  run_model("A", {{"prob", prob("answer")}});
  const std::string log_of_a = read("TOFU_EVAL.json");
  std::filesystem::create_directory(in_out("TOFU_EVAL.json.old"));
  const Evaluation done = run_model("B", {{"prob", prob("answer")}});
  EXPECT_EQ(read("TOFU_EVAL.json.old.1"), log_of_a);
  ASSERT_EQ(said_of_log(done).size(), 1U);
  expect_contains(said_of_log(done)[0], "TOFU_EVAL.json.old.1");
}

// Back and forth between two models: each log is kept once.
TEST_F(EarlierRunTest, TheSameResultsAreKeptOnce) {
  for (const char* model : {"A", "B", "A", "B", "A"}) {
    run_model(model, {{"prob", prob("answer")}});
  }
  EXPECT_TRUE(std::filesystem::exists(in_out("TOFU_EVAL.json.old.1")));
  EXPECT_FALSE(std::filesystem::exists(in_out("TOFU_EVAL.json.old.2")));
}

TEST_F(EarlierRunTest, AnEditedResultIsComputedAgain) {
  const Json metrics = {{"prob", prob("answer")}, {"truth_ratio", truth_ratio()}};
  run_metrics(metrics);
  const std::string right = read("TOFU_EVAL.json");
  edit_log("prob", 0.123);
  const std::string edited = read("TOFU_EVAL.json");
  const Evaluation again = run_metrics(metrics);
  EXPECT_FALSE(again.rows[0].reused);
  EXPECT_TRUE(again.rows[1].reused);
  EXPECT_EQ(read("TOFU_EVAL.json"), right);
  EXPECT_EQ(read("TOFU_EVAL.json.old"), edited);
  ASSERT_EQ(said_of_log(again).size(), 1U);
  EXPECT_EQ(said_of_log(again)[0],
            in_out("TOFU_EVAL.json").string() +
                " was changed after it was written: it does not hold the results of prob that "
                "TOFU_RUN.json records; they are computed again, and the changed file is kept as " +
                in_out("TOFU_EVAL.json.old").string());
}

// The metric that is made of it was computed before the edit, and stays.
TEST_F(EarlierRunTest, AnEditedPartOfAMetricIsComputedAgain) {
  const Json metrics = {{"truth_ratio", truth_ratio()}};
  run_metrics(metrics);
  const std::string right = read("TOFU_EVAL.json");
  edit_log("Para", 0.123);
  EXPECT_TRUE(run_metrics(metrics).rows[0].reused);
  EXPECT_EQ(read("TOFU_EVAL.json"), right);
}

TEST_F(EarlierRunTest, AnotherLayoutOfTheSameResultsIsNoEdit) {
  const Json metrics = {{"prob", prob("answer")}, {"loss", mia("mia_loss")}, {"rouge", rouge()}};
  run_metrics(metrics);
  const std::string right = read("TOFU_EVAL.json");
  folder_.write("out/TOFU_EVAL.json", log().dump(7));
  const Evaluation again = run_metrics(metrics);
  for (const MetricRow& row : again.rows) EXPECT_TRUE(row.reused) << row.name;
  EXPECT_TRUE(said_of_log(again).empty());
  EXPECT_EQ(read("TOFU_EVAL.json"), right);
}

TEST_F(EarlierRunTest, ARecordWithoutHashesIsBelieved) {
  const Json metrics = {{"prob", prob("answer")}};
  run_metrics(metrics);
  Json old_record = record();
  EXPECT_EQ(old_record["metrics"]["prob"].erase("result_hash"), 1U);
  folder_.write("out/TOFU_RUN.json", to_text(old_record));
  edit_log("prob", 0.123);
  EXPECT_TRUE(run_metrics(metrics).rows[0].reused);
  EXPECT_EQ(log()["prob"]["agg_value"], 0.123);
  EXPECT_TRUE(record()["metrics"]["prob"].contains("result_hash"));
}

}  // namespace
}  // namespace palimpsest::eval
