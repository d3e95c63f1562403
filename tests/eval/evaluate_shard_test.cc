#include <gtest/gtest.h>

#include <algorithm>

#include "palimpsest/eval/evaluate.h"
#include "tests/eval/evaluate_fixture.h"
#include "tests/eval/setup.h"
#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

// Every kind of metric, in batches of a few sequences.
class EvaluateShardTest : public EvaluateTest {
 protected:
  EvaluationContext context(std::optional<run::Shard> shard = {}, bool computes = true) {
    return {.loader = loader_,
            .work = {.shard = shard,
                     .computes = computes,
                     .program_version = "test",
                     .batch_tokens = 24},
            .versions = {{"palimpsest", "test"}}};
  }
  void run_shard(const run::Shard& shard) {
    evaluate_shard(read_evaluation(value_of(folder_.config(suite()))), context(shard));
  }
  void run_whole(bool computes = true) {
    evaluate_config(folder_.config(suite()), context({}, computes));
  }
  // Everything but what a run's times and history decide.
  std::vector<std::string> results() const {
    Json run = record();
    for (auto& [name, metric] : run["metrics"].items()) metric.erase("seconds");
    run.erase("passes");
    return {folder_.read("out/TOFU_EVAL.json"), folder_.read("out/TOFU_SUMMARY.json"), to_text(run),
            folder_.read("out/TOFU_TRACES/H.jsonl")};
  }
  void remove_results() const { std::filesystem::remove_all(folder_.path() / "out"); }
};

TEST_F(EvaluateShardTest, ResultsAreTheSameHoweverTheRunIsCut) {
  run_whole();
  const std::vector<std::string> expected = results();
  for (const int64_t count : {1, 2, 3, 7}) {
    remove_results();
    for (int64_t number = count; number >= 1; --number) run_shard({number, count});
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out" / "TOFU_RUN.json"));
    const int64_t loads = loader_.loads();
    run_whole(false);
    EXPECT_EQ(loader_.loads(), loads) << count;
    EXPECT_EQ(results(), expected) << count;
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out" / "TOFU.run"));
  }
}

// The power goes out in every batch of a shard, one after the other.
TEST_F(EvaluateShardTest, AShardGoesOnWhereItWasKilled) {
  run_whole();
  const std::vector<std::string> expected = results();
  remove_results();
  int64_t kills = 0;
  for (bool done = false; !done;) {
    loader_.granted = loader_.batches + 1;
    try {
      run_shard({1, 2});
      done = true;
    } catch (const SystemError&) {
      ++kills;
    }
  }
  EXPECT_GT(kills, 5);
  loader_.granted = 1 << 20;
  // What is missing is named, and filled.
  expect_contains(error_of([&] { run_whole(false); }), "those of 2/2");
  run_whole();
  EXPECT_EQ(results(), expected);
}

TEST_F(EvaluateShardTest, AnotherModelsPartsAreRefused) {
  run_shard({1, 2});
  folder_.write("model/config.json", R"({"model_type": "llama", "name": "another"})");
  expect_contains(error_of([&] { run_whole(); }), "was made with a different model");
  expect_contains(error_of([&] { run_shard({1, 2}); }), "was made with a different model");
}

// The log of another model is somebody's: a shard leaves it alone.
TEST_F(EvaluateShardTest, EarlierResultsStayUntilTheNewOnesAreThere) {
  run_whole();
  const std::string before = folder_.read("out/TOFU_EVAL.json");
  folder_.write("model/config.json", R"({"model_type": "llama", "name": "another"})");
  run_shard({1, 1});
  EXPECT_EQ(folder_.read("out/TOFU_EVAL.json"), before);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out" / "TOFU_EVAL.json.old"));
  run_whole(false);
  EXPECT_EQ(folder_.read("out/TOFU_EVAL.json.old"), before);
}

}  // namespace
}  // namespace palimpsest::eval
