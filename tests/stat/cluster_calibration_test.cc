// A quick look at what cluster_calibration_slow_test.cc looks at closely: enough repetitions to
// catch an interval that forgets the clusters, or a family that forgets that it is one.
#include "tests/stat/cluster_calibration.h"

#include <gtest/gtest.h>

#include "palimpsest/stat/internal/normal.h"

namespace palimpsest::stat {
namespace {

constexpr int64_t kRepetitions = 1'000;

TEST(ClusterCalibrationTest, IntervalsCoverWhereUnclusteredOnesDoNot) {
  const ClusterSetting cells[] = {
      {.clusters = 5, .icc = 0.1, .auc = 0.7},
      {.clusters = 20, .sizes = ClusterSizes::kLognormal, .icc = 0.3},
      {.clusters = 10, .sizes = ClusterSizes::kOneLarge, .icc = 0.1, .auc = 0.95},
      {.clusters = 10, .icc = 0.1, .auc = 0.7, .tied = true}};
  for (const ClusterSetting& cell : cells) {
    const double coverage = clustered_auc_coverage(cell, kRepetitions);
    EXPECT_GE(coverage, 0.925 - cell_tolerance(0.925, kRepetitions)) << cell;
    EXPECT_LE(coverage, 0.975 + cell_tolerance(0.975, kRepetitions)) << cell;
    EXPECT_LE(unclustered_auc_coverage(cell, kRepetitions), 0.85) << cell;
  }
}

TEST(ClusterCalibrationTest, DifferencesCover) {
  const double coverage = difference_coverage(
      {.a = {.clusters = 10, .icc = 0.3, .auc = 0.7}, .auc_b = 0.6, .correlation = 0.9},
      kRepetitions);
  EXPECT_GE(coverage, 0.925 - cell_tolerance(0.925, kRepetitions));
  EXPECT_LE(coverage, 0.975 + cell_tolerance(0.975, kRepetitions));
}

TEST(ClusterCalibrationTest, TenAttacksAreOneQuestion) {
  const FamilySetting family{.each = {.clusters = 5, .mean_size = 5, .icc = 0.1},
                             .correlation = 0.5};
  EXPECT_LE(familywise_error(family, kRepetitions), 0.03 + cell_tolerance(0.03, kRepetitions));
  EXPECT_GE(unadjusted_error(family, kRepetitions), 0.1);
}

TEST(ClusterCalibrationTest, WhatWouldBeDetectedIs) {
  const DetectedShare found = detected_share({.clusters = 20, .icc = 0.1}, kRepetitions);
  EXPECT_NEAR(found.at_mean, 0.8, 0.03 + cell_tolerance(0.8, kRepetitions));
  EXPECT_NEAR(found.of_own, 0.8, 0.03 + cell_tolerance(0.8, kRepetitions));
}

TEST(ClusterCalibrationTest, TheToleranceIsThreeStandardDeviationsAndABit) {
  EXPECT_NEAR(cell_tolerance(0.925, 4000), 3.09 * 0.004165, 1e-4);
}

TEST(ClusterCalibrationTest, TruthCountsTiesAndInnerPairs) {
  EXPECT_EQ(true_auc(ClusterSetting{.auc = 0.7}), 0.7);
  EXPECT_NEAR(true_auc(ClusterSetting{.auc = 0.5, .tied = true}), 0.5, 1e-12);
  const ClusterSetting shared{.clusters = 4, .icc = 0.5, .auc = 0.7, .in_both = true};
  // The shift is √2·Φ⁻¹(0.7); inside a cluster half of the variance is left.
  const double inside = normal_cdf(normal_quantile(0.7) / 0.7071067811865476);
  EXPECT_NEAR(true_auc(shared), 0.25 * inside + 0.75 * 0.7, 1e-12);
}

}  // namespace
}  // namespace palimpsest::stat
