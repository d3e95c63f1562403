#include "palimpsest/report/attack_summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/report/score_rows.h"
#include "tests/support/expect_error.h"
#include "tests/support/threads_used.h"

namespace palimpsest::report {
namespace {

// 4 positives, 4 negatives; 3 of 4 and 1 of 4 called positive.
AttackRows small_rows() {
  return {.values = {"loss"},
          .labels = {1, 1, 1, 1, 0, 0, 0, 0},
          .scores = {0.9, 0.8, 0.6, 0.3, 0.7, 0.2, 0.1, 0.05},
          .predictions = {1, 1, 1, 0, 1, 0, 0, 0}};
}

TEST(AttackSummaryTest, AllMetrics) {
  const AttackSummary summary = summarize_attack(small_rows(), binary_classes(), all_metrics());
  EXPECT_EQ(metric(summary, "accuracy").value, 0.75);
  EXPECT_EQ(metric(summary, "true_positive_rate").value, 0.75);
  EXPECT_EQ(metric(summary, "false_positive_rate").value, 0.25);
  EXPECT_EQ(metric(summary, "mia_advantage").value, 0.5);
  EXPECT_EQ(metric(summary, "privacy_gain").value, 0.5);
  EXPECT_EQ(metric(summary, "auc").value, 14.0 / 16);
  EXPECT_TRUE(std::isinf(*metric(summary, "effective_epsilon").value));
  EXPECT_EQ(summary.rows, 8);
  EXPECT_FALSE(summary.threshold);
}

TEST(AttackSummaryTest, UsesAsManyThreadsAsItMay) {
  ScoresTable table{.columns = {"attack"}, .classes = binary_classes()};
  for (int i = 0; i < 6; ++i) table.attacks.push_back(small_rows());
  SummaryOptions options = all_metrics();
  for (const int threads : {1, 3}) {
    options.threads = threads;
    EXPECT_EQ(threads_used([&] { summarize_attacks(table, options); }), threads);
  }
}

TEST(AttackSummaryTest, WithoutScoresThePredictionsServe) {
  AttackRows rows = small_rows();
  rows.scores.clear();
  const AttackSummary summary = summarize_attack(rows, binary_classes(), all_metrics());
  EXPECT_EQ(metric(summary, "accuracy").value, 0.75);
  EXPECT_EQ(metric(summary, "auc").value, 0.75);  // (1 + TPR - FPR) / 2
  EXPECT_NEAR(*metric(summary, "effective_epsilon").value, std::log(3), 1e-15);
  EXPECT_TRUE(summary.scores_in_order.empty());
}

TEST(AttackSummaryTest, WithoutPredictionsAThresholdIsChosenAndNamed) {
  const AttackRows rows = normal_rows(1, 4000, 2);
  SummaryOptions options = all_metrics();
  options.validation_split = 0.25;
  const AttackSummary summary = summarize_attack(rows, binary_classes(), options);
  ASSERT_TRUE(summary.threshold);
  EXPECT_NEAR(*summary.threshold, 1, 0.4);  // where the two densities cross
  EXPECT_EQ(summary.counts.positives(), 1500);
  EXPECT_EQ(summary.counts.negatives(), 1500);
  EXPECT_NEAR(*metric(summary, "accuracy").value, 0.841, 0.02);
  // The threshold and the rates do not see the same rows.
  int64_t called = 0;
  for (size_t i = 0; i < rows.labels.size(); ++i) {
    if (!summary.validation[i] && rows.labels[i] == 1 && rows.scores[i] >= *summary.threshold)
      ++called;
  }
  EXPECT_EQ(summary.counts.true_positives, called);
}

TEST(AttackSummaryTest, APrefixMayServeAsValidationPart) {
  SummaryOptions options = all_metrics();
  options.split = stat::ValidationSplit::kPrefix;
  const AttackSummary summary = summarize_attack(normal_rows(1, 100, 2), binary_classes(), options);
  EXPECT_TRUE(summary.validation[9]);
  EXPECT_FALSE(summary.validation[10]);
}

TEST(AttackSummaryTest, OneClassLeavesTheRestUndefined) {
  AttackRows rows = small_rows();
  rows.labels.assign(8, 1);
  const AttackSummary summary = summarize_attack(rows, binary_classes(), all_metrics());
  EXPECT_EQ(metric(summary, "accuracy").value, 0.5);
  EXPECT_EQ(metric(summary, "true_positive_rate").value, 0.5);
  for (const char* name :
       {"false_positive_rate", "mia_advantage", "privacy_gain", "auc", "effective_epsilon"})
    EXPECT_EQ(metric(summary, name).value, std::nullopt) << name;
  rows.predictions.clear();
  const AttackSummary chosen = summarize_attack(rows, binary_classes(), all_metrics());
  EXPECT_EQ(chosen.threshold, std::nullopt);
  EXPECT_EQ(metric(chosen, "accuracy").value, std::nullopt);
}

TEST(AttackSummaryTest, AccuracyTakesAnyNumberOfClasses) {
  const AttackRows rows{.labels = {0, 1, 2, 2}, .predictions = {0, 1, 2, 1}};
  const std::vector<ScoreClass> classes = {{"red", "s:2"}, {"green", "s:3"}, {"blue", "s:4"}};
  const SummaryOptions accuracy{.metrics = select_summary_metrics("accuracy")};
  const AttackSummary summary = summarize_attack(rows, classes, accuracy);
  ASSERT_EQ(summary.metrics.size(), 1U);
  EXPECT_EQ(summary.metrics[0].value, 0.75);
  expect_contains(error_of([&] { summarize_attack(rows, classes, all_metrics()); }),
                  "s:2: a label is neither 0 nor 1 (found 'red'); say with --positive-label");
  const AttackRows without{.labels = {0, 1, 2}, .scores = {1, 2, 3}};
  expect_contains(error_of([&] { summarize_attack(without, classes, accuracy); }),
                  "s:2: the accuracy of several classes needs a column 'prediction'");
}

TEST(AttackSummaryTest, APositiveLabelMakesTwoClassesOfMany) {
  const AttackRows rows{.labels = {0, 1, 2, 2}, .predictions = {0, 1, 2, 1}};
  const std::vector<ScoreClass> classes = {{"red", "s:2"}, {"green", "s:3"}, {"blue", "s:4"}};
  SummaryOptions options = all_metrics();
  options.positive_label = "blue";
  const AttackSummary summary = summarize_attack(rows, classes, options);
  EXPECT_EQ(metric(summary, "true_positive_rate").value, 0.5);
  EXPECT_EQ(metric(summary, "false_positive_rate").value, 0.0);
  EXPECT_EQ(metric(summary, "accuracy").value, 0.75);
}

TEST(AttackSummaryTest, MetricsAreSelectedByName) {
  EXPECT_EQ(select_summary_metrics("all").size(), summary_metrics().size());
  EXPECT_EQ(select_summary_metrics("auc,accuracy,auc"), (std::vector<size_t>{5, 0}));
  expect_contains(error_of([] { select_summary_metrics("auc,f1"); }),
                  "there is no metric 'f1' (expected all, accuracy, true_positive_rate");
  expect_contains(error_of([] { select_summary_metrics(""); }), "there is no metric ''");
}

TEST(AttackSummaryTest, ATableGivesOneSummaryPerAttack) {
  const ScoresTable table{.columns = {"attack"},
                          .classes = binary_classes(),
                          .attacks = {normal_rows(1, 50, 1, {"a"}), normal_rows(2, 60, 0, {"b"})}};
  const std::vector<AttackSummary> summaries = summarize_attacks(table, all_metrics());
  ASSERT_EQ(summaries.size(), 2U);
  EXPECT_EQ(summaries[1].values[0], "b");
  EXPECT_EQ(summaries[1].rows, 60);
}

}  // namespace
}  // namespace palimpsest::report
