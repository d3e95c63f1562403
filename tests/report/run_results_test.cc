#include "palimpsest/report/run_results.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "palimpsest/stat/bootstrap.h"
#include "palimpsest/stat/delong.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest {
namespace {

// As open-unlearning writes it.
constexpr const char* kEvalLog = R"({
  "forget_Q_A_Prob": {"agg_value": 0.5, "value_by_index": {
    "0": {"avg_loss": 1.0, "prob": 0.25}, "1": {"avg_loss": 2.0, "prob": 0.75},
    "2": {"avg_loss": null, "prob": null}}},
  "model_utility": {"agg_value": 0.6},
  "mia_loss": {"agg_value": 0.75, "auc": 0.75,
    "forget": {"agg_value": 1, "value_by_index": {"0": {"score": 1}, "1": {"score": 2.5}}},
    "holdout": {"agg_value": 2.5, "value_by_index": {"0": {"score": 2}, "1": {"score": 3}}}},
  "odd": {"agg_value": NaN, "value_by_index": {"0": 3}}
})";

TEST(RunResultsTest, ReadsEvaluationLogs) {
  const TempFolder folder;
  folder.write("TOFU_EVAL.json", kEvalLog);
  folder.write("TOFU_SUMMARY.json", R"({"model_utility": 0.9, "forget_quality": 1e-3})");
  const RunResults run = read_run(folder.path(), {.resamples = 100});
  ASSERT_EQ(run.metrics.size(), 5U);
  const auto metric = [&](const char* name) {
    return *std::ranges::find(run.metrics, name, &RunMetric::name);
  };
  const RunMetric prob = metric("forget_Q_A_Prob");
  EXPECT_EQ(prob.value, 0.5);
  EXPECT_EQ(prob.by_index, (std::map<std::string, double>{{"0", 0.25}, {"1", 0.75}}));
  ASSERT_TRUE(prob.interval);
  EXPECT_GE(prob.interval->low, 0.25);
  EXPECT_LE(prob.interval->high, 0.75);
  EXPECT_EQ(metric("model_utility").value, 0.6);  // the log's, not the summary's
  EXPECT_FALSE(metric("model_utility").interval);
  EXPECT_TRUE(metric("mia_loss").is_auc());
  EXPECT_TRUE(metric("mia_loss").interval);
  EXPECT_EQ(metric("odd").value, std::nullopt);
  EXPECT_EQ(metric("forget_quality").value, 0.001);
  EXPECT_FALSE(run.scores);
}

TEST(RunResultsTest, WhatWasAskedForComesFirst) {
  const TempFolder folder;
  folder.write("TOFU_EVAL.json", R"({"a_part": {"agg_value": 1}, "mia_loss": {"agg_value": 0.75,
      "forget": {"value_by_index": {"0": {"score": 1}}},
      "holdout": {"value_by_index": {"0": {"score": 2}}}}, "b_part": {"agg_value": 2},
      "whole": {"agg_value": 3}})");
  folder.write("TOFU_SUMMARY.json", R"({"whole": 3})");
  std::string names;
  for (const RunMetric& metric : read_run(folder.path(), {}).metrics) names += metric.name + " ";
  EXPECT_EQ(names, "mia_loss whole a_part b_part ");
}

TEST(RunResultsTest, ReadsAudits) {
  const TempFolder folder;
  folder.write("mia.json", R"({
    "loss": {"auc": 0.75, "agg_value": 0.75, "auc_ci": [0.5, 1],
      "forget": {"value_by_index": {"0": {"score": 1}, "1": {"score": null}, "2": {"score": 2.5}}},
      "holdout": {"value_by_index": {"0": {"score": 2}, "1": {"score": 3}}}},
    "audit": {"model": "m", "agg_value": 3}})");
  folder.write("scores.csv", "label,score\n1,1\n");
  const RunResults run = read_run(folder.path(), {});
  ASSERT_EQ(run.metrics.size(), 1U);
  EXPECT_EQ(run.metrics[0].name, "mia_loss");
  EXPECT_EQ(run.metrics[0].interval, delong_interval({{2, 3}, {1, 2.5}}));
  EXPECT_EQ(run.metrics[0].forget.size(), 2U);
  EXPECT_EQ(run.scores, folder.path() / "scores.csv");
  EXPECT_EQ(run.name, folder.path().filename());
}

TEST(RunResultsTest, RunsOfOneNameAreCalledByTheirPaths) {
  const TempFolder folder;
  for (const char* name : {"a/run", "b/run", "b/other"}) {
    std::filesystem::create_directories(folder.path() / name);
    folder.write(std::string(name) + "/X_SUMMARY.json", "{\"m\": 1}");
  }
  const auto runs =
      read_runs({folder.path() / "a/run", folder.path() / "b/run/", folder.path() / "b/other"}, {});
  EXPECT_EQ(runs[0].name, (folder.path() / "a/run").string());
  EXPECT_NE(runs[0].name, runs[1].name);
  EXPECT_EQ(runs[2].name, "other");
}

TEST(RunResultsTest, RefusesOtherFolders) {
  const TempFolder folder;
  expect_contains(error_of([&] { read_run(folder.path(), {}); }), "the folder holds no results");
  folder.write("X_EVAL.json", "[1]");
  expect_contains(error_of([&] { read_run(folder.path(), {}); }),
                  "X_EVAL.json: this is not a log of results");
  folder.write("X_EVAL.json", "{");
  expect_contains(error_of([&] { read_run(folder.path(), {}); }), "this is not valid JSON");
}

TEST(RunResultsTest, OddContentsAreLeftOut) {
  const TempFolder folder;
  folder.write("X_EVAL.json", R"({"a": 1, "b": {"agg_value": "x"}, "c": {"agg_value": 1,
    "value_by_index": {"0": {"x": 1}, "1": [2], "2": {"x": "Infinity"}}},
    "d": {"agg_value": 1, "value_by_index": []}})");
  const RunResults run = read_run(folder.path(), {});
  ASSERT_EQ(run.metrics.size(), 3U);
  EXPECT_EQ(run.metrics[0].value, std::nullopt);
  EXPECT_EQ(run.metrics[1].by_index.size(), 1U);
  EXPECT_TRUE(run.metrics[2].by_index.empty());
}

}  // namespace
}  // namespace palimpsest
