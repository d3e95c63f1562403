// Whether what is said about clustered items holds, by simulation: see cluster_calibration.h. The
// limits are those of the design; docs/calibration.md has the numbers.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/stat/cluster_calibration.h"

namespace palimpsest::stat {
namespace {

constexpr double kMinCoverage = 0.925;
constexpr double kMaxCoverage = 0.975;

void expect_covers(double coverage) {
  EXPECT_GE(coverage, kMinCoverage - cell_tolerance(kMinCoverage, kCellRepetitions));
  EXPECT_LE(coverage, kMaxCoverage + cell_tolerance(kMaxCoverage, kCellRepetitions));
}

TEST(ClusterCalibrationSlowTest, ThereAreNoMoreCellsThanTheToleranceCounts) {
  EXPECT_LE(
      auc_cells().size() + difference_cells().size() + family_cells().size() + power_cells().size(),
      static_cast<size_t>(kCells));
}

TEST(ClusterCalibrationSlowTest, IntervalsOfAnAucCover) {
  for (const ClusterSetting& cell : auc_cells()) {
    SCOPED_TRACE(describe(cell));
    expect_covers(clustered_auc_coverage(cell, kCellRepetitions));
  }
}

TEST(ClusterCalibrationSlowTest, IntervalsOfADifferenceCover) {
  for (const DifferenceSetting& cell : difference_cells()) {
    SCOPED_TRACE(describe(cell.a));
    expect_covers(difference_coverage(cell, kCellRepetitions));
  }
}

TEST(ClusterCalibrationSlowTest, TenAttacksAreOneQuestion) {
  for (const FamilySetting& cell : family_cells()) {
    EXPECT_LE(familywise_error(cell, kCellRepetitions),
              0.03 + cell_tolerance(0.03, kCellRepetitions))
        << cell.each << ", correlation " << cell.correlation;
  }
}

TEST(ClusterCalibrationSlowTest, WhatWouldBeDetectedIs) {
  for (const ClusterSetting& cell : power_cells()) {
    const double allowed =
        (cell.clusters >= 20 ? 0.03 : 0.05) + cell_tolerance(0.8, kCellRepetitions);
    const DetectedShare found = detected_share(cell, kCellRepetitions);
    EXPECT_NEAR(found.at_mean, 0.8, allowed) << cell;
    // What single audits say holds as well where clusters are equally large. Where they are not,
    // their variance is known less well than its degrees of freedom tell: docs/calibration.md.
    if (cell.sizes == ClusterSizes::kEqual) {
      EXPECT_NEAR(found.of_own, 0.8, allowed) << cell;
    }
  }
}

}  // namespace
}  // namespace palimpsest::stat
