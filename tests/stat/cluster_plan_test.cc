#include "palimpsest/stat/internal/cluster_plan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/stat/internal/student_t.h"
#include "tests/support/expect_error.h"

namespace palimpsest::stat {
namespace {

ClusteredAuc attack_with(int64_t positives, double variance_positives, int64_t negatives,
                         double variance_negatives) {
  ClusteredAuc attack{.auc = 0.7};
  attack.variance_positives = variance_positives;
  attack.variance_negatives = variance_negatives;
  attack.variance = variance_positives + variance_negatives;
  attack.clusters = {.positives = positives, .negatives = negatives};
  attack.degrees_of_freedom =
      attack.variance * attack.variance /
      (variance_positives * variance_positives / static_cast<double>(positives - 1) +
       variance_negatives * variance_negatives / static_cast<double>(negatives - 1));
  return attack;
}

// (q1 + q2)·√V at the planned numbers, for equally many clusters with equal variances.
double reach(int64_t clusters, double per_cluster, double q1, double q2) {
  const auto count = static_cast<double>(clusters);
  const double df = 2 * (count - 1);
  return (student_t_quantile(q1, df) + student_t_quantile(q2, df)) *
         std::sqrt(2 * per_cluster / count);
}

TEST(ClustersNeededTest, IsTheSmallestNumberThatReachesTheMargin) {
  // 20 + 20 clusters with a standard error of 0.04.
  const ClusteredAuc attack = attack_with(20, 0.0008, 20, 0.0008);
  const auto plan = clusters_needed(std::vector{attack}, {.margin = 0.05});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->positives, plan->negatives);
  // One attack: detecting at 97% with 80% asks for more than clearing.
  EXPECT_LE(reach(plan->positives, 20 * 0.0008, 0.985, 0.8), 0.05);
  EXPECT_GT(reach(plan->positives - 1, 20 * 0.0008, 0.985, 0.8), 0.05);
  EXPECT_LE(reach(plan->positives, 20 * 0.0008, 0.95, 0.9), 0.05);
}

TEST(ClustersNeededTest, ClearingSeveralAttacksTakesOver) {
  const ClusteredAuc attack = attack_with(20, 0.0008, 20, 0.0008);
  const auto plan =
      clusters_needed(std::vector<ClusteredAuc>(10, attack), {.margin = 0.05, .confidence = 0.9});
  ASSERT_TRUE(plan);
  EXPECT_LE(reach(plan->positives, 20 * 0.0008, 0.95, 0.99), 0.05);
  EXPECT_GT(reach(plan->positives - 1, 20 * 0.0008, 0.95, 0.99), 0.05);
}

TEST(ClustersNeededTest, KeepsTheRatioOfTheSets) {
  const ClusteredAuc attack = attack_with(20, 0.001, 60, 0.0004);
  const auto plan = clusters_needed(std::vector{attack}, {.margin = 0.05});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->negatives, 3 * plan->positives);
  EXPECT_GT(plan->positives, 20);
}

TEST(ClustersNeededTest, AsksForTheLargestOverTheFamily) {
  const ClusteredAuc small = attack_with(20, 0.0002, 20, 0.0002);
  const ClusteredAuc large = attack_with(20, 0.001, 20, 0.001);
  const auto both = clusters_needed(std::vector{small, large}, {});
  const auto alone = clusters_needed(std::vector{large}, {});
  ASSERT_TRUE(both && alone);
  EXPECT_GE(both->positives, alone->positives);
  // The AUC that was seen plays no part.
  ClusteredAuc other = large;
  other.auc = 0.51;
  EXPECT_EQ(clusters_needed(std::vector{other}, {})->positives, alone->positives);
}

TEST(ClustersNeededTest, AWiderMarginNeedsFewerAndALargerMultipleMore) {
  const std::vector<ClusteredAuc> family = {attack_with(30, 0.0005, 30, 0.0005)};
  const int64_t plain = clusters_needed(family, {})->positives;
  EXPECT_LT(clusters_needed(family, {.margin = 0.1})->positives, plain);
  EXPECT_GT(clusters_needed(family, {.multiple_ratio = 1.3})->positives, plain);
  EXPECT_GT(clusters_needed(family, {.confidence = 0.99})->positives, plain);
}

TEST(ClustersNeededTest, NeverPlansFewerThanFiveClusters) {
  const auto plan = clusters_needed(std::vector{attack_with(50, 1e-7, 10, 1e-7)}, {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->positives, 5);
  EXPECT_EQ(plan->negatives, 5);
}

TEST(ClustersNeededTest, WithoutAnyVarianceThereIsNoPlan) {
  ClusteredAuc separated{.auc = 1};
  separated.clusters = {.positives = 5, .negatives = 5};
  EXPECT_FALSE(clusters_needed({}, {}));
  EXPECT_FALSE(clusters_needed(std::vector{separated}, {}));
  const ClusteredAuc attack = attack_with(20, 0.0008, 20, 0.0008);
  EXPECT_EQ(clusters_needed(std::vector{separated, attack}, {})->positives,
            clusters_needed(std::vector{attack}, {})->positives);
}

TEST(ClustersNeededTest, RefusesOptionsOutOfRange) {
  const std::vector<ClusteredAuc> family = {attack_with(20, 0.0008, 20, 0.0008)};
  for (const double margin : {0.0, 0.5, -0.1, std::nan("")}) {
    expect_contains(error_of([&] { (void)clusters_needed(family, {.margin = margin}); }), "margin");
  }
  expect_contains(error_of([&] { (void)clusters_needed(family, {.multiple_ratio = 0.9}); }),
                  "multiples");
  expect_contains(error_of([&] { (void)clusters_needed(family, {.confidence = 0}); }),
                  "confidence");
}

TEST(WouldDetectTest, IsTheMultiplePlusTheQuantileOfThePower) {
  const ClusteredAuc attack = attack_with(20, 0.0004, 20, 0.0004);
  const double t = student_t_quantile(0.8, attack.degrees_of_freedom);
  EXPECT_NEAR(would_detect(attack, 2.3), 0.5 + (2.3 + t) * std::sqrt(0.0008), 1e-14);
  EXPECT_NEAR(would_detect(attack, 2.3, 0.5), 0.5 + 2.3 * std::sqrt(0.0008), 1e-14);
  EXPECT_EQ(would_detect(attack, INFINITY), 1);
  EXPECT_EQ(would_detect(ClusteredAuc{.auc = 1}, 2.3), 1);
  expect_contains(error_of([&] { would_detect(attack, 2.3, 1); }), "power");
}

TEST(WouldDetectPlannedTest, WorkedExample) {
  // 20 authors of 20 questions each, correlation 0.1: deff 2.9, variance 2·2.9/(12·400).
  const PlannedSet set{.clusters = 20, .mean_size = 20};
  const double se = std::sqrt(2 * 2.9 / 4800);
  const double expected = 0.5 + (two_sided_t(0.97, 38) + student_t_quantile(0.8, 38)) * se;
  EXPECT_NEAR(*would_detect_planned(set, set, 0.1), expected, 1e-13);
  EXPECT_NEAR(expected, 0.608, 0.0005);
}

TEST(WouldDetectPlannedTest, IndependentItemsAgreeWithThePowerOfTheAuc) {
  const PlannedSet set{.clusters = 400};
  // Hanley and McNeil's variance gives 0.557 for 400 + 400 at 5% and 80%.
  EXPECT_NEAR(*would_detect_planned(set, set, 0, 0.95), 0.557, 0.001);
  // Without clusters the correlation plays no part.
  EXPECT_EQ(would_detect_planned(set, set, 0.5), would_detect_planned(set, set, 0));
}

TEST(WouldDetectPlannedTest, CorrelationAndUnequalSizesCost) {
  const PlannedSet equal{.clusters = 20, .mean_size = 10};
  const PlannedSet unequal{.clusters = 20, .mean_size = 10, .size_ratio = 2.5};
  EXPECT_LT(would_detect_planned(equal, equal, 0), would_detect_planned(equal, equal, 0.1));
  EXPECT_LT(would_detect_planned(equal, equal, 0.1), would_detect_planned(unequal, unequal, 0.1));
  EXPECT_EQ(would_detect_planned({.clusters = 2}, {.clusters = 2}, 0), 1);
}

TEST(WouldDetectPlannedTest, DegenerateCases) {
  const PlannedSet set{.clusters = 20};
  EXPECT_FALSE(would_detect_planned({.clusters = 1}, set, 0));
  EXPECT_FALSE(would_detect_planned(set, {.clusters = 0}, 0));
  error_of([&] { would_detect_planned(set, set, 1.1); });
  error_of([&] { would_detect_planned(set, {.clusters = 20, .mean_size = 0.5}, 0); });
  error_of([&] { would_detect_planned({.clusters = 20, .size_ratio = 0.5}, set, 0); });
  error_of([&] { would_detect_planned(set, set, 0, 0.97, 0); });
}

}  // namespace
}  // namespace palimpsest::stat
