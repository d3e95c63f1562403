// What a run's record (NAME_RUN.json) says of the metrics that read_run() reads.

#include "palimpsest/report/internal/run_record.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "palimpsest/report/internal/report_figures.h"
#include "palimpsest/report/run_results.h"
#include "palimpsest/report/run_table.h"
#include "tests/report/figure_names.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::report {
namespace {

TEST(RunRecordTest, TheRecordOfAnEvaluationGivesClustersParametersIntervalsAndAnswer) {
  const TempFolder folder;
  folder.write("TOFU_EVAL.json", R"({
    "forget_Q_A_Prob": {"agg_value": 0.5, "value_by_index": {"0": {"prob": 0.25}, "1": {"prob": 0.75}}},
    "rel": {"agg_value": 3}, "old": {"agg_value": 4},
    "mia_min_k": {"agg_value": 1, "forget": {"value_by_index": {"0": {"score": 1}, "1": {"score": 2}}},
      "holdout": {"value_by_index": {"0": {"score": 3}, "1": {"score": 4}}}}})");
  const std::string metrics = R"("metrics": {
      "mia_min_k": {"agg_value": 1, "interval": [0.2, 1], "parameters": {"k": 0.4}, "data": {}},
      "rel": {"agg_value": 3, "interval": [1, 5], "data": {}},
      "old": {"agg_value": 3.9, "interval": [1, 5], "data": {}},
      "forget_quality": {"agg_value": 0.01, "effect": {"ks_distance": 0.4, "mean_difference": 0.1,
        "mean_difference_interval": [0.05, 0.15], "examples": 40}}})";
  folder.write(
      "TOFU_RUN.json",
      R"({"palimpsest_run": 2, "clusters": {"key": "blocks of 1", "forget": {}, "holdout": {}},
    "answer": {"verdict": "void", "sentence": "Void.", "attack": "", "margin": 0.05,
      "smallest_margin": null, "level": 0.05, "p_value": null, "clusters": {"key": null, "forget": 2,
      "holdout": 2, "icc": null, "design_effect": null}, "would_detect": null, "needed": null,
      "reasons": []}, "retrained_models": {"logs": 2, "comparisons": {"mia_min_k":
      {"model": 0.1, "retrained": [0.1, 0.2], "p_value": 1}}}, )" +
          metrics + "}");
  const RunResults run = read_run(folder.path(), {});
  const auto metric = [](const RunResults& of, const char* name) {
    return *std::ranges::find(of.metrics, name, &RunMetric::name);
  };
  EXPECT_EQ(run.answer->verdict, attack::AnswerVerdict::kVoid);
  EXPECT_EQ(metric(run, "mia_min_k").parameters, (MetricParameters{{"k", "0.4"}}));
  EXPECT_EQ(metric(run, "mia_min_k").interval, (stat::Interval{0.2, 1}));
  EXPECT_EQ(metric(run, "rel").interval, (stat::Interval{1, 5}));
  EXPECT_FALSE(metric(run, "old").interval);  // of another number
  EXPECT_FALSE(metric(run, "forget_Q_A_Prob").parameters);
  EXPECT_NE(metric(read_run(folder.path(), {.confidence = 0.9}), "mia_min_k").interval,
            (stat::Interval{0.2, 1}));
  EXPECT_EQ(metric(run, "forget_quality_mean_difference").interval, (stat::Interval{0.05, 0.15}));
  EXPECT_EQ(metric(run, "forget_quality_ks_distance").value, 0.4);
  ASSERT_EQ(run.notes.size(), 1U);
  expect_contains(run.notes[0], "Differs from the 2 retrained models no more than");
  // Version 0.1 knew no clusters: its intervals are not taken.
  folder.write("TOFU_RUN.json", R"({"metrics": {"rel": {"agg_value": 3, "interval": [1, 5]}}})");
  EXPECT_FALSE(metric(read_run(folder.path(), {}), "rel").interval);
}

// At other levels than that of the record, metrics that are made of others are not guessed by their
// names: the record says what their intervals are drawn from.
TEST(RunRecordTest, TheRecordGivesTheIntervalsOfCompositesAtAnyLevel) {
  const TempFolder folder;
  folder.write("MINE_EVAL.json", R"({"my_utility": {"agg_value": 0.6}, "leak": {"agg_value": -99},
    "model_utility": {"agg_value": 0.5}})");
  folder.write("MINE_RUN.json", R"({"palimpsest_run": 2, "complete": true, "metrics": {
    "my_utility": {"agg_value": 0.6, "interval": [0.5, 0.7], "data": {},
      "spread": {"variance": 0.0004, "degrees_of_freedom": 9, "range": [0, 1]}},
    "leak": {"agg_value": -99, "interval": [-100, -97], "data": {},
      "spread": {"variance": 4, "degrees_of_freedom": 5, "range": [-100, "Infinity"]}},
    "model_utility": {"agg_value": 0.5, "interval": null, "data": {}}}})");
  const auto interval = [&](const char* name, double confidence) {
    const RunResults run = read_run(folder.path(), {.confidence = confidence});
    return std::ranges::find(run.metrics, name, &RunMetric::name)->interval;
  };
  EXPECT_EQ(interval("my_utility", 0.95), (stat::Interval{0.5, 0.7}));
  const auto narrower = interval("my_utility", 0.9);
  ASSERT_TRUE(narrower);
  EXPECT_NEAR(narrower->low, 0.6 - 1.8331129 * 0.02, 1e-6);  // Student's t of 9 at 95%
  EXPECT_NEAR(narrower->high, 0.6 + 1.8331129 * 0.02, 1e-6);
  EXPECT_EQ(interval("leak", 0.9)->low, -100);
  EXPECT_FALSE(interval("model_utility", 0.9));
}

// A file may say anything; what no interval can be drawn from counts as not said.
TEST(RunRecordTest, ASpreadThatCannotBeIsNotUsed) {
  const TempFolder folder;
  folder.write("MINE_EVAL.json", R"({"my_utility": {"agg_value": 0.6}})");
  for (const char* spread :
       {R"("variance": -1, "degrees_of_freedom": 9)", R"("variance": 1, "degrees_of_freedom": 0)",
        R"("variance": "Infinity", "degrees_of_freedom": 9)"}) {
    folder.write("MINE_RUN.json",
                 std::string(R"({"palimpsest_run": 2, "complete": true, "metrics": {"my_utility": {
      "agg_value": 0.6, "interval": [0.5, 0.7], "data": {}, "spread": {)") +
                     spread + R"(, "range": [0, 1]}}}})");
    const RunResults run = read_run(folder.path(), {.confidence = 0.9});
    EXPECT_FALSE(run.metrics.at(0).interval) << spread;
  }
}

TEST(RunRecordTest, ADamagedRecordIsRefused) {
  const TempFolder folder;
  folder.write("MINE_EVAL.json", R"({"my_utility": {"agg_value": 0.6}})");
  const auto refusal = [&](const std::string& record) {
    folder.write("MINE_RUN.json", record);
    return error_of([&] { read_run(folder.path(), {}); });
  };
  for (const char* record :
       {"[]", "{}", R"({"metrics": 3})", R"({"metrics": {"my_utility": 0.6}})",
        R"({"metrics": {}, "complete": "yes"})", R"({"metrics": {}, "model": "m"})",
        R"({"metrics": {}, "passes": {}})",
        R"({"metrics": {}, "clusters": {"key": "author", "forget": "0", "holdout": {}}})",
        R"({"metrics": {}, "retrained_models": {"logs": 2, "comparisons": 3}})"}) {
    expect_contains(refusal(record), "this is not a record of a run");
  }
  for (const char* member :
       {R"("traces": 3)", R"("agg_value": "high")", R"("interval": 0.5)", R"("interval": [0.5])",
        R"("interval": [0, "high"])", R"("parameters": 3)", R"("parameters": {"k": "a few"})",
        R"("parameters": {"k": null})", R"("reference": 3)",
        R"("reference": {"forget": 3, "holdout": {}})",
        R"("reference": {"forget": {"0": "low"}, "holdout": {}})", R"("generations": {})",
        R"("spread": {"variance": "low", "degrees_of_freedom": 9, "range": [0, 1]})",
        R"("spread": {"variance": 1, "degrees_of_freedom": 9, "range": 1})"}) {
    SCOPED_TRACE(member);
    expect_contains(refusal(fmt::format(R"({{"metrics": {{"my_utility": {{{}}}}}}})", member)),
                    "this is not a record of a run");
  }
  for (const char* number :
       {R"("metrics": {"my_utility": {"cluster_size": 1e300}})",
        R"("metrics": {"my_utility": {"examples": 1.5}})", R"("metrics": {}, "seed": "abc")"}) {
    const std::string message = refusal(fmt::format("{{{}}}", number));
    expect_contains(message, "MINE_RUN.json: this is not a record of a run (found ");
    expect_contains(message, "which is not a whole number");
    expect_contains(message, "`palimpsest eval` writes it again");
  }
}

// What the names of TOFU's metrics suggest is for logs whose record says nothing.
TEST(RunRecordTest, ARecordOfTodayIsNotGuessedAtByNames) {
  const TempFolder folder;
  folder.write("TOFU_EVAL.json", R"({
    "mia_min_k": {"agg_value": 0.75, "forget": {"value_by_index": {"0": {"score": 1}, "1": {"score": 2.5}}},
      "holdout": {"value_by_index": {"0": {"score": 2}, "1": {"score": 3}}}},
    "privleak": {"agg_value": 10},
    "retain_Q_A_Prob": {"agg_value": 0.5, "value_by_index": {"0": {"prob": 0.2}, "1": {"prob": 0.3},
      "2": {"prob": 0.7}, "3": {"prob": 0.8}}},
    "wf_recall": {"agg_value": 0.5, "value_by_index": {"0": {"prob": 0.2}, "1": {"prob": 0.8}}}})");
  const auto read = [&](int version) {
    folder.write("TOFU_RUN.json", R"({"palimpsest_run": )" + std::to_string(version) +
                                      R"(, "complete": false, "metrics": {
        "mia_min_k": {"agg_value": 0.75}, "privleak": {"agg_value": 10},
        "wf_recall": {"agg_value": 0.5, "averaged": {"field": "prob"}, "pairing": {"": "facts"}},
        "retain_Q_A_Prob": {"agg_value": 0.5, "averaged": {"field": "prob"},
          "pairing": {"": "records"}}}})");
    const RunResults run = read_run(folder.path(), {.clusters = {.size = 2}});
    std::map<std::string, RunMetric> metrics;
    for (const RunMetric& metric : run.metrics) metrics[metric.name] = metric;
    return metrics;
  };
  auto metrics = read(1);
  EXPECT_NE(metrics["mia_min_k"].attack, nullptr);
  EXPECT_EQ(metrics["retain_Q_A_Prob"].clusters.at("0"), "retain block 0");
  EXPECT_TRUE(metrics["wf_recall"].clusters.empty());  // TOFU's world facts are independent
  EXPECT_FALSE(metrics["mia_min_k"].traces);
  const auto interval = metrics["retain_Q_A_Prob"].interval;
  metrics = read(2);
  EXPECT_EQ(metrics["mia_min_k"].attack, nullptr);
  EXPECT_EQ(metrics["retain_Q_A_Prob"].clusters.at("0"), "records block 0");
  EXPECT_EQ(metrics["wf_recall"].clusters.at("1"), "facts block 0");
  EXPECT_TRUE(metrics["mia_min_k"].traces);
  EXPECT_EQ(metrics["retain_Q_A_Prob"].interval, interval);
}

// The record's interval takes every example as independent. The user knows better.
TEST(RunRecordTest, TheUsersClustersGivePrivleakAnIntervalOfItsOwn) {
  const TempFolder folder;
  std::string forget;
  std::string holdout;
  for (int i = 0; i < 12; ++i) {
    const std::string separator = i == 0 ? "" : ", ";
    forget += fmt::format(R"({}"{}": {{"score": {}}})", separator, i, i * 7 % 12);
    holdout += fmt::format(R"({}"{}": {{"score": {}}})", separator, i, i * 5 % 12 + 0.5);
  }
  const double auc = 78 / 144.0;  // 1 + 2 + … + 12 of 12 × 12 pairs
  folder.write("T_EVAL.json", fmt::format(R"({{"mia_min_k": {{"agg_value": {}, "auc": {},
    "forget": {{"value_by_index": {{{}}}}}, "holdout": {{"value_by_index": {{{}}}}}}},
    "privleak": {{"agg_value": {}}}}})",
                                          auc, auc, forget, holdout, 100 * (0.5 - auc) / 0.5));
  folder.write("T_RUN.json", fmt::format(R"({{"palimpsest_run": 2, "complete": true, "metrics": {{
    "mia_min_k": {{"agg_value": {}, "attack": "min_k", "parameters": {{"k": 0.4}}}},
    "privleak": {{"agg_value": {}, "interval": [-80, 60]}}}}}})",
                                         auc, 100 * (0.5 - auc) / 0.5));
  const auto interval = [&](int64_t size) {
    const RunResults run = read_run(folder.path(), {.clusters = {.size = size}});
    const auto privleak = std::ranges::find(run.metrics, "privleak", &RunMetric::name);
    return privleak == run.metrics.end() ? std::nullopt : privleak->interval;
  };
  EXPECT_EQ(interval(0), (stat::Interval{-80, 60}));
  ASSERT_TRUE(interval(2));
  EXPECT_NE(interval(2), (stat::Interval{-80, 60}));
  EXPECT_NE(interval(2), interval(3));
}

// A configuration may call the metric of an attack anything; the record says which attack it is.
TEST(RunRecordTest, ARecordSaysWhichAttackAMetricComesFrom) {
  const TempFolder folder;
  folder.write("MINE_EVAL.json", R"({"leak": {"agg_value": 1,
    "forget": {"agg_value": 1, "value_by_index": {"0": {"score": 1}, "1": {"score": 1.5}}},
    "holdout": {"agg_value": 2, "value_by_index": {"0": {"score": 2}, "1": {"score": 3}}}}})");
  folder.write("MINE_RUN.json", R"({"palimpsest_run": 2, "complete": true, "metrics": {
    "leak": {"agg_value": 1, "attack": "loss", "data": {}}}})");
  const RunResults run = read_run(folder.path(), {});
  ASSERT_EQ(run.metrics.size(), 1U);
  ASSERT_NE(run.metrics[0].attack, nullptr);
  EXPECT_EQ(run.metrics[0].attack->name, "loss");
  EXPECT_EQ(compare_runs(std::vector{run}).is_attack, std::vector<bool>{true});
  EXPECT_EQ(names_of(run_figures(std::vector{run}, compare_runs(std::vector{run}))).front(),
            "auc_by_model");
  folder.write("MINE_RUN.json", R"({"palimpsest_run": 2, "complete": true, "metrics": {
    "leak": {"agg_value": 1, "attack": "own", "data": {}}}})");
  const RunMetric own = read_run(folder.path(), {}).metrics.at(0);
  EXPECT_EQ(own.attack, nullptr);
  EXPECT_TRUE(own.is_attack());
}

// Two fields have the mean; the record says which of them it is of.
TEST(RunRecordTest, ARecordOfTodayLeavesNothingToGuess) {
  const TempFolder folder;
  folder.write("TOFU_EVAL.json", R"({"my_metric": {"agg_value": 0.5, "value_by_index": {
    "0": {"a": 0.1, "score": 0.25, "generation": "g"}, "1": {"a": 0.9, "score": 0.75, "input": "i"}}}})");
  const auto write_record = [&](int version, const char* complete) {
    folder.write("TOFU_RUN.json",
                 R"({"palimpsest_run": )" + std::to_string(version) + R"(, "complete": )" +
                     complete + R"(, "metrics": {"my_metric": {"agg_value": 0.5, "interval": null,
                       "averaged": {"field": "score", "form": "true_better"},
                       "pairing": {"": "records"}, "cluster_size": 2}}})");
  };
  write_record(2, "true");
  const RunMetric metric = read_run(folder.path(), {}).metrics.at(0);
  EXPECT_EQ(metric.by_index, (ValueByExample{{"0", 0.75}, {"1", 0.25}}));
  EXPECT_EQ(metric.data_set, "records");
  EXPECT_EQ(metric.clusters.at("0"), metric.clusters.at("1"));
  EXPECT_EQ(metric.generations.at("0").generation, "g");
  EXPECT_FALSE(metric.generations.contains("1"));
  EXPECT_FALSE(metric.interval);  // eval had a reason
  // A run that goes on has not said its last word.
  folder.write("TOFU_EVAL.json", R"({"my_metric": {"agg_value": 0.325, "value_by_index": {
    "0": {"score": 0.25}, "1": {"score": 0.75}, "2": {"score": 0.1}, "3": {"score": 0.2}}}})");
  write_record(2, "false");
  EXPECT_TRUE(read_run(folder.path(), {}).metrics.at(0).interval);
  write_record(1, "true");
  EXPECT_EQ(read_run(folder.path(), {}).metrics.at(0).by_index.at("0"), 0.25);
  write_record(3, "true");
  expect_contains(
      error_of([&] { read_run(folder.path(), {}); }),
      "this record of a run is of a newer version (expected at most version 2, found 3)");
}

}  // namespace
}  // namespace palimpsest::report
