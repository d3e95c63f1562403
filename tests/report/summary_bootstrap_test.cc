#include "palimpsest/report/internal/summary_bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/binomial.h"
#include "tests/report/score_rows.h"

namespace palimpsest::report {
namespace {

AttackSummary with_intervals(const AttackRows& rows, const stat::BootstrapOptions& options = {}) {
  AttackSummary summary = summarize_attack(rows, binary_classes(), all_metrics());
  const std::vector<size_t> selected = select_summary_metrics("all");
  add_bootstrap_intervals(summary, selected, options);
  return summary;
}

AttackRows predicted_rows(int64_t tp, int64_t fn, int64_t fp, int64_t tn) {
  AttackRows rows;
  auto add = [&](int64_t count, int32_t label, int32_t prediction) {
    for (int64_t i = 0; i < count; ++i) {
      rows.labels.push_back(label);
      rows.predictions.push_back(prediction);
    }
  };
  add(tp, 1, 1);
  add(fn, 1, 0);
  add(fp, 0, 1);
  add(tn, 0, 0);
  return rows;
}

double half_width(const MetricValue& metric) {
  return (metric.interval->high - metric.interval->low) / 2;
}

TEST(SummaryBootstrapTest, WidthsAreThoseOfTheNormalApproximation) {
  const AttackSummary summary =
      with_intervals(predicted_rows(300, 100, 120, 480), {.resamples = 4000});
  const double tpr_variance = 0.75 * 0.25 / 400;
  const double fpr_variance = 0.2 * 0.8 / 600;
  const double z = 1.96;
  EXPECT_NEAR(half_width(metric(summary, "true_positive_rate")), z * std::sqrt(tpr_variance),
              0.004);
  EXPECT_NEAR(half_width(metric(summary, "false_positive_rate")), z * std::sqrt(fpr_variance),
              0.004);
  EXPECT_NEAR(half_width(metric(summary, "mia_advantage")),
              z * std::sqrt(tpr_variance + fpr_variance), 0.004);
  // The sizes of the sets are fixed, so accuracy varies within the classes only.
  EXPECT_NEAR(half_width(metric(summary, "accuracy")),
              z * std::sqrt(0.16 * tpr_variance + 0.36 * fpr_variance), 0.002);
  const stat::Interval advantage = *metric(summary, "mia_advantage").interval;
  EXPECT_EQ(metric(summary, "privacy_gain").interval,
            (stat::Interval{1 - advantage.high, 1 - advantage.low}));
}

TEST(SummaryBootstrapTest, EveryIntervalHoldsItsValueAndTheAucIsThatOfTheStatistics) {
  AttackRows rows = normal_rows(3, 400, 1);
  const AttackSummary summary = with_intervals(rows);
  for (const MetricValue& value : summary.metrics) {
    ASSERT_TRUE(value.interval);
    EXPECT_TRUE(value.interval->contains(*value.value));
    EXPECT_LT(value.interval->low, value.interval->high);
  }
  EXPECT_EQ(metric(summary, "auc").interval, stat::bootstrap_auc(summary.scores, {})->interval);
}

TEST(SummaryBootstrapTest, RatesThatDoNotVaryGetExactIntervals) {
  const AttackSummary summary = with_intervals(predicted_rows(50, 0, 0, 50));
  EXPECT_EQ(metric(summary, "true_positive_rate").interval, stat::clopper_pearson(50, 50, 0.95));
  const stat::Interval advantage = *metric(summary, "mia_advantage").interval;
  EXPECT_EQ(advantage.high, 1);
  EXPECT_NEAR(advantage.low,
              stat::clopper_pearson(50, 50, 0.975).low - stat::clopper_pearson(0, 50, 0.975).high,
              1e-12);
  const stat::Interval accuracy = *metric(summary, "accuracy").interval;
  EXPECT_NEAR(accuracy.high, 1, 1e-12);
  EXPECT_NEAR(accuracy.low, 0.92, 0.02);
  EXPECT_EQ(metric(summary, "auc").interval, stat::separated_auc_interval(1, summary.scores, 0.95));
  EXPECT_TRUE(std::isinf(metric(summary, "effective_epsilon").interval->high));
}

TEST(SummaryBootstrapTest, UndefinedMetricsHaveNoInterval) {
  const AttackSummary summary = with_intervals(predicted_rows(5, 5, 0, 0));
  EXPECT_FALSE(metric(summary, "auc").interval);
  EXPECT_FALSE(metric(summary, "false_positive_rate").interval);
  EXPECT_TRUE(metric(summary, "accuracy").interval);
  EXPECT_FALSE(metric(with_intervals(predicted_rows(1, 0, 0, 0)), "accuracy").interval);
}

TEST(SummaryBootstrapTest, DependsOnTheSeedAndNotOnThreadsOrNeighbours) {
  std::vector<AttackSummary> summaries;
  for (uint64_t seed : {1, 2, 3})
    summaries.push_back(
        summarize_attack(normal_rows(seed, 100, 1), binary_classes(), all_metrics()));
  std::vector<AttackSummary> again = summaries;
  const std::vector<size_t> selected = select_summary_metrics("all");
  add_bootstrap_intervals(summaries, selected, {.resamples = 200, .threads = 1});
  add_bootstrap_intervals(again, selected, {.resamples = 200, .threads = 3});
  AttackSummary alone = summarize_attack(normal_rows(2, 100, 1), binary_classes(), all_metrics());
  add_bootstrap_intervals(alone, selected, {.resamples = 200, .threads = 2});
  for (size_t i = 0; i < selected.size(); ++i) {
    EXPECT_EQ(summaries[1].metrics[i].interval, again[1].metrics[i].interval);
    EXPECT_EQ(summaries[1].metrics[i].interval, alone.metrics[i].interval);
  }
}

}  // namespace
}  // namespace palimpsest::report
