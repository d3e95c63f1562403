#include "palimpsest/stat/auc_power.h"

#include <gtest/gtest.h>

#include <numbers>

#include "palimpsest/base/random.h"
#include "palimpsest/stat/delong.h"
#include "palimpsest/stat/normal.h"
#include "tests/support/expect_error.h"

namespace palimpsest {
namespace {

TEST(AucPowerTest, WorkedExample) {
  EXPECT_NEAR(smallest_detectable_auc(400, 400).value(), 0.557, 0.0005);
  EXPECT_EQ(examples_needed(0.55), 522);
  EXPECT_EQ(examples_needed(0.45), 522);
}

TEST(AucPowerTest, TheTwoQuestionsAgree) {
  for (double auc : {0.52, 0.55, 0.6, 0.75, 0.9}) {
    const int64_t size = examples_needed(auc);
    EXPECT_LE(smallest_detectable_auc(size, size).value(), auc + 1e-9);
    EXPECT_GT(smallest_detectable_auc(size - 1, size - 1).value_or(1), auc);
  }
}

TEST(AucPowerTest, FewerExamplesOrStricterDemandsNeedALargerAuc) {
  EXPECT_LT(smallest_detectable_auc(200, 400), smallest_detectable_auc(200, 200));
  EXPECT_GT(smallest_detectable_auc(200, 200, {.power = 0.9}), smallest_detectable_auc(200, 200));
  EXPECT_GT(smallest_detectable_auc(200, 200, {.level = 0.01}), smallest_detectable_auc(200, 200));
}

TEST(AucPowerTest, TooFewExamplesTellNothing) {
  EXPECT_EQ(smallest_detectable_auc(0, 10), std::nullopt);
  EXPECT_EQ(smallest_detectable_auc(1, 1), std::nullopt);
  EXPECT_EQ(smallest_detectable_auc(2, 2), std::nullopt);
  EXPECT_TRUE(smallest_detectable_auc(4, 4));
}

TEST(AucPowerTest, RefusesWhatHasNoAnswer) {
  expect_contains(error_of([] { examples_needed(0.5); }), "an AUC of 0.5");
  error_of([] { examples_needed(1.5); });
  error_of([] { smallest_detectable_auc(-1, 5); });
  expect_contains(error_of([] { smallest_detectable_auc(5, 5, {.power = 1}); }), "out of range");
}

// At the AUC that is said to be just detectable, the DeLong interval must exclude one half in about
// 80% of all samples.
TEST(AucPowerSlowTest, HoldsForTheIntervalThatIsReported) {
  constexpr int kRuns = 4000;
  for (const auto& [m, n] : {std::pair<int, int>{100, 100}, {400, 400}, {60, 300}}) {
    const double auc = smallest_detectable_auc(m, n).value();
    const double shift = std::numbers::sqrt2 * normal_quantile(auc);  // of binormal scores
    int told = 0;
    for (int run = 0; run < kRuns; ++run) {
      Random random = Random(11).split(static_cast<uint64_t>(run));
      LabelledScores scores;
      for (int i = 0; i < m; ++i) scores.positives.push_back(random.normal() + shift);
      for (int i = 0; i < n; ++i) scores.negatives.push_back(random.normal());
      if (!delong_interval(scores)->contains(0.5)) ++told;
    }
    EXPECT_NEAR(static_cast<double>(told) / kRuns, 0.8, 0.04) << m << " + " << n;
  }
}

}  // namespace
}  // namespace palimpsest
