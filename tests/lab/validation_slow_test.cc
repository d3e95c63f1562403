// The whole chain, from training to verdict, where the truth about membership is known. All limits
// are those of the design; none is fitted to the outcome. docs/validation.md has the numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/lab/validation.h"

namespace palimpsest::lab {
namespace {

TEST(AttackNullSlowTest, IntervalsContainOneHalfAsOftenAsTheyPromise) {
  // 190 of 200 are expected; fewer than 180 or more than 198 happens to a sound 95% interval once
  // in a thousand times.
  constexpr int64_t kRuns = 200;
  const std::vector<NullCoverage> coverage = null_coverage(kRuns);
  ASSERT_GE(coverage.size(), 6U);
  for (const NullCoverage& attack : coverage) {
    EXPECT_GE(attack.bca, 180) << attack.attack;
    EXPECT_LE(attack.bca, 198) << attack.attack;
    EXPECT_GE(attack.delong, 180) << attack.attack;
    EXPECT_LE(attack.delong, 198) << attack.attack;
  }
}

TEST(AttackPowerSlowTest, MoreEpochsGiveMoreAway) {
  constexpr int64_t kRuns = 4;
  constexpr double kNoise = 0.03;  // of a mean of four AUCs near one another
  for (const PowerCurve& curve : power_curves(kRuns)) {
    for (size_t e = 1; e < curve.auc.size(); ++e) {
      EXPECT_GT(curve.auc[e], curve.auc[e - 1] - kNoise)
          << curve.attack << " after " << power_epochs()[e] << " epochs";
    }
    EXPECT_NEAR(curve.auc.front(), 0.5, 0.1) << curve.attack;
    EXPECT_GT(curve.auc.back(), 0.8) << curve.attack;
  }
}

TEST(PrivateMechanismSlowTest, NoBoundIsAboveTheTrueEpsilonMoreOftenThanStated) {
  constexpr int64_t kRuns = 40;
  const PrivateRuns runs = randomised_response(1, kRuns);
  const auto above = std::ranges::count_if(runs.bounds, [&](double b) { return b > runs.epsilon; });
  // 2 of 40 are expected of a bound that is exactly as good as stated; more than 7 once in a
  // thousand times.
  EXPECT_LE(above, 7);
  // The attack does see through the model: it is right nearly as often as randomised response
  // lets it be, so that the bound is really put to the test.
  const double most = std::exp(runs.epsilon) / (1 + std::exp(runs.epsilon));
  EXPECT_GT(runs.share_right, most - 0.05);
  EXPECT_LT(runs.share_right, most + 0.05);
}

}  // namespace
}  // namespace palimpsest::lab
