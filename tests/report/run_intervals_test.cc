#include "palimpsest/report/internal/run_intervals.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "palimpsest/base/random.h"
#include "palimpsest/report/internal/guesses.h"
#include "palimpsest/stat/clustered_mean.h"
#include "palimpsest/stat/harmonic_mean.h"
#include "palimpsest/stat/jackknife.h"
#include "tests/report/scored_metric.h"
#include "tests/support/own_clusters.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::report {
namespace {

RunMetric mean_of(const std::string& name, const std::vector<double>& values, int64_t block = 0) {
  RunMetric metric{.name = name, .value = 0.0};
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string key = std::to_string(i);
    metric.by_index[key] = values[i];
    *metric.value += values[i] / static_cast<double>(values.size());
    if (block > 0) metric.clusters[key] = fmt::format("block {}", static_cast<int64_t>(i) / block);
  }
  return metric;
}

TEST(RunIntervalsTest, MeansCountClustersAndStayWithinTheirRange) {
  const std::vector<double> values = {-1, 2, 4, 9};
  EXPECT_EQ(metric_interval(mean_of("x", values), 0.9),
            stat::mean_interval(*stat::clustered_mean(values, own_clusters(values)), 0.9));
  const auto clustered = stat::clustered_mean(values, std::vector<int64_t>{0, 0, 1, 1});
  EXPECT_EQ(metric_interval(mean_of("x", values, 2), 0.95), stat::mean_interval(*clustered));
  EXPECT_EQ(metric_interval(mean_of("x", {0.1, 0.9}), 0.95), (stat::Interval{0, 1}));
  EXPECT_EQ(metric_interval(mean_of("x", {0.1, 9}), 0.95)->low, 0);
  EXPECT_FALSE(metric_interval(mean_of("x", {0.5, 0.5}), 0.95));
  EXPECT_FALSE(metric_interval({.name = "x", .value = 1}, 0.95));
}

// TOFU's nine parts over three data sets; the retain set in blocks of 2.
std::vector<RunMetric> utility_parts() {
  std::vector<RunMetric> parts;
  Random random(3);
  for (const char* name : {"retain_Q_A_Prob", "retain_Q_A_ROUGE", "retain_Truth_Ratio",
                           "ra_Q_A_Prob_normalised", "ra_Q_A_ROUGE", "ra_Truth_Ratio",
                           "wf_Q_A_Prob_normalised", "wf_Q_A_ROUGE", "wf_Truth_Ratio"}) {
    const bool retain = std::string(name).starts_with("retain");
    std::vector<double> values;
    for (int i = 0; i < (retain ? 8 : 5); ++i) values.push_back(0.2 + 0.7 * random.uniform());
    parts.push_back(mean_of(name, values, retain ? 2 : 0));
  }
  return parts;
}

double utility_of(const std::vector<RunMetric>& parts, const std::string& data = "",
                  int64_t block = 1, int64_t left_out = -1) {
  std::vector<double> means;
  for (const RunMetric& part : parts) {
    double sum = 0;
    double count = 0;
    for (const auto& [key, value] : part.by_index) {
      if (part.name.starts_with(data + "_") && std::stoll(key) / block == left_out) continue;
      sum += value;
      ++count;
    }
    means.push_back(sum / count);
  }
  return *stat::harmonic_mean(means);
}

TEST(RunIntervalsTest, ModelUtilityLeavesAClusterOutOfAllPartsOfItsData) {
  const std::vector<RunMetric> parts = utility_parts();
  const double whole = utility_of(parts);
  std::vector<std::vector<double>> strata(3);
  for (int64_t g = 0; g < 4; ++g) strata[0].push_back(utility_of(parts, "retain", 2, g));
  for (int64_t g = 0; g < 5; ++g) strata[1].push_back(utility_of(parts, "ra", 1, g));
  for (int64_t g = 0; g < 5; ++g) strata[2].push_back(utility_of(parts, "wf", 1, g));
  const stat::Interval expected = stat::jackknife_interval(*stat::jackknife(whole, strata));
  const auto found =
      guess_composite_interval({.name = "model_utility", .value = whole}, parts, 0.95);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->low, expected.low, 1e-12);
  EXPECT_NEAR(found->high, expected.high, 1e-12);
}

TEST(RunIntervalsTest, ACompositeThatItsPartsDoNotGiveHasNone) {
  std::vector<RunMetric> parts = utility_parts();
  const double whole = utility_of(parts);
  EXPECT_FALSE(
      guess_composite_interval({.name = "model_utility", .value = whole + 0.01}, parts, 0.95));
  EXPECT_FALSE(guess_composite_interval({.name = "other", .value = whole}, parts, 0.95));
  EXPECT_FALSE(guess_composite_interval({.name = "forget_quality", .value = 0.3}, parts, 0.95));
  parts.pop_back();
  EXPECT_FALSE(guess_composite_interval({.name = "model_utility", .value = whole}, parts, 0.95));
}

RunMetric min_k(uint64_t seed, double shift) {
  ValueByExample forget;
  ValueByExample holdout;
  Random random(seed);
  for (int i = 0; i < 40; ++i) {
    forget[std::to_string(i)] = random.normal();
    holdout[std::to_string(i)] = random.normal() + shift;
  }
  double wins = 0;
  for (const auto& [i, f] : forget) {
    for (const auto& [j, h] : holdout) wins += h > f ? 1 : 0;
  }
  return {.name = "mia_min_k", .value = wins / 1600, .scored = scored_attack(forget, holdout)};
}

TEST(RunIntervalsTest, PrivleakFollowsItsAucWithTheReferenceFixed) {
  const RunMetric attack = min_k(1, 0.8);
  constexpr double kReference = 0.45;
  const double value = 100 * (kReference - *attack.value) / (1 - kReference);
  const auto found = guess_composite_interval({.name = "privleak", .value = value}, {attack}, 0.95);
  ASSERT_TRUE(found);
  EXPECT_LT(found->low, value);
  EXPECT_GT(found->high, value);
  // The same width as the AUC's interval has on the raw scale, in per cent of 1 - reference.
  const auto auc = metric_interval(attack, 0.95);
  EXPECT_NEAR((found->high - found->low) * (1 - kReference) / 100, auc->high - auc->low, 0.02);
  EXPECT_FALSE(guess_composite_interval({.name = "privleak", .value = -100.0}, {attack}, 0.95));
  EXPECT_FALSE(guess_composite_interval({.name = "privleak", .value = value}, {}, 0.95));
}

TEST(RunIntervalsTest, TruthRatiosAndListsAreFoundInLogs) {
  const TempFolder folder;
  folder.write("T_EVAL.json", R"({
    "forget_Truth_Ratio": {"agg_value": 0.375, "value_by_index": {
      "0": {"score": 4}, "1": {"score": 0.5}}},
    "retain_Truth_Ratio": {"agg_value": 0.25, "value_by_index": {
      "0": {"score": 4}, "1": {"score": 0.5}}},
    "forget_Q_A_PERT_Prob": {"agg_value": 0.3, "value_by_index": {
      "0": {"prob": [0.1, 0.3, null]}, "1": {"prob": [0.4, 0.4]}}}})");
  const RunResults run = read_run(folder.path(), {});
  const auto values = [&](const char* name) {
    return values_of(std::ranges::find(run.metrics, name, &RunMetric::name)->by_index);
  };
  ASSERT_EQ(values("forget_Truth_Ratio").size(), 2U);
  EXPECT_NEAR(values("forget_Truth_Ratio")[0], 0.25, 1e-9);
  EXPECT_NEAR(values("forget_Truth_Ratio")[1], 0.5, 1e-9);
  EXPECT_EQ(values("retain_Truth_Ratio"), (std::vector<double>{0, 0.5}));
  EXPECT_NEAR(values("forget_Q_A_PERT_Prob")[0], 0.2, 1e-12);
  for (const RunMetric& metric : run.metrics) EXPECT_TRUE(metric.interval) << metric.name;
}

}  // namespace
}  // namespace palimpsest::report
