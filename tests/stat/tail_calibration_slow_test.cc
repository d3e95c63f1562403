// Whether the intervals and tests of the tail keep what they promise, by simulation: see
// tail_calibration.h. Limits are those of the design, plus what chance explains.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/stat/tail_calibration.h"

namespace palimpsest::stat {
namespace {

constexpr int64_t kSimulations = 4000;

// A level that is exactly as stated exceeds this with probability 0.13%, one of 15 with 2%.
double tolerated(double level) {
  return level + 3 * std::sqrt(level * (1 - level) / static_cast<double>(kSimulations));
}

TEST(TprIntervalSlowTest, CoversAtLeast93Percent) {
  for (const TprCase& setting : tpr_cases())
    EXPECT_GE(tpr_coverage(setting, kSimulations), 0.93) << setting;
}

TEST(FamilyPermutationSlowTest, FalseAlarmsStayWithinTheLevel) {
  for (const FamilyCase& setting : family_cases()) {
    const FamilyLevels levels = family_levels(setting, kSimulations);
    EXPECT_LE(levels.auc_5, tolerated(0.05)) << setting;
    EXPECT_LE(levels.tail_2, tolerated(0.02)) << setting;
    EXPECT_LE(levels.either, tolerated(0.05)) << setting;
    // And they are no idle tests.
    EXPECT_GE(levels.auc_5, 0.03) << setting;
    EXPECT_GE(levels.tail_2, 0.01) << setting;
  }
}

TEST(TailPowerSlowTest, AFewRememberedRecordsAreSeen) {
  const std::vector<double> expected = {0.60, 0.85, 0.99};
  const std::vector<PowerCase> cases = power_cases();
  ASSERT_EQ(cases.size(), expected.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    const TailPower power = tail_power(cases[i], kSimulations);
    EXPECT_GE(power.tail_5, expected[i] - 0.05) << cases[i].remembered;
    EXPECT_GE(power.tail_2, 3 * power.auc_5) << cases[i].remembered;
  }
}

}  // namespace
}  // namespace palimpsest::stat
