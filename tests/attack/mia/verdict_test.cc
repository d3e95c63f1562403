#include "palimpsest/attack/mia/verdict.h"

#include <gtest/gtest.h>

#include <set>

#include "palimpsest/base/random.h"
#include "palimpsest/stat/delong.h"

namespace palimpsest {
namespace {

constexpr Interval kContains = {0.2, 0.8};
constexpr Interval kAbove = {0.501, 1};
constexpr Interval kBelow = {0, 0.499};

std::string words(double auc, const Interval& interval) {
  return verdict_of(auc, interval).words();
}

TEST(VerdictTest, AnIntervalThatContainsOneHalf) {
  for (double auc : {0.45, 0.46, 0.5, 0.54, 0.55}) {
    EXPECT_EQ(words(auc, kContains), "indistinguishable") << auc;
  }
  for (double auc : {0.0, 0.3, 0.449, 0.551, 0.6, 0.9, 1.0}) {
    EXPECT_EQ(words(auc, kContains), "inconclusive") << auc;
  }
}

TEST(VerdictTest, TheEndsOfTheIntervalBelongToIt) {
  EXPECT_EQ(words(0.53, {0.5, 0.56}), "indistinguishable");
  EXPECT_EQ(words(0.47, {0.44, 0.5}), "indistinguishable");
  EXPECT_EQ(words(0.53, {0.5000001, 0.56}), "weak, still remembered");
}

TEST(VerdictTest, EveryBoundaryAbove) {
  EXPECT_EQ(words(0.51, kAbove), "weak, still remembered");
  EXPECT_EQ(words(0.55, kAbove), "weak, still remembered");
  EXPECT_EQ(words(0.6, kAbove), "weak, still remembered");
  EXPECT_EQ(words(0.601, kAbove), "moderate, still remembered");
  EXPECT_EQ(words(0.75, kAbove), "moderate, still remembered");
  EXPECT_EQ(words(0.751, kAbove), "strong, still remembered");
  EXPECT_EQ(words(0.95, kAbove), "strong, still remembered");
  EXPECT_EQ(words(0.951, kAbove), "plain, still remembered");
  EXPECT_EQ(words(1, kAbove), "plain, still remembered");
}

TEST(VerdictTest, EveryBoundaryBelow) {
  EXPECT_EQ(words(0.49, kBelow), "weak, over-forgotten");
  EXPECT_EQ(words(0.4, kBelow), "weak, over-forgotten");
  EXPECT_EQ(words(0.399, kBelow), "moderate, over-forgotten");
  EXPECT_EQ(words(0.25, kBelow), "moderate, over-forgotten");
  EXPECT_EQ(words(0.249, kBelow), "strong, over-forgotten");
  EXPECT_EQ(words(0.05, kBelow), "strong, over-forgotten");
  EXPECT_EQ(words(0.049, kBelow), "plain, over-forgotten");
  EXPECT_EQ(words(0, kBelow), "plain, over-forgotten");
}

TEST(VerdictTest, EveryVerdictSaysWhatToDo) {
  std::set<std::string> seen;
  for (const Verdict& verdict : all_verdicts()) {
    EXPECT_TRUE(seen.insert(verdict.words()).second) << verdict.words();
    EXPECT_FALSE(verdict.action.empty()) << verdict.words();
  }
  EXPECT_EQ(seen.size(), 10U);
  EXPECT_EQ(verdict_of(0.5, kContains).action, "nothing to do");
  EXPECT_EQ(verdict_of(0.58, kAbove).action, "watch the other metrics");
  EXPECT_EQ(verdict_of(0.7, kAbove).action, "fine-tune the parameters of the unlearning");
  EXPECT_EQ(verdict_of(0.9, kAbove).action, "strengthen the unlearning");
  EXPECT_EQ(verdict_of(0.99, kAbove).action, "retrain with other settings");
  EXPECT_TRUE(verdict_of(0.3, kBelow).action.starts_with("check for over-forgetting"));
}

// Where nothing is remembered a direction is claimed at most as often as the interval misses; small
// samples are inconclusive, large ones indistinguishable.
TEST(VerdictSlowTest, SamplesOfNothingAreSeldomCalledRemembered) {
  constexpr int kRuns = 2000;
  for (const auto& [size, least_clear] : {std::pair<int, double>{30, 0.3}, {1000, 0.94}}) {
    int clear = 0;
    int claimed = 0;
    for (int run = 0; run < kRuns; ++run) {
      Random random = Random(9).split(static_cast<uint64_t>(run));
      LabelledScores scores;
      for (int i = 0; i < size; ++i) {
        scores.positives.push_back(random.normal());
        scores.negatives.push_back(random.normal());
      }
      const Verdict verdict = verdict_of(delong(scores)->auc, *delong_interval(scores));
      if (verdict.level == VerdictLevel::kIndistinguishable) ++clear;
      if (verdict.direction != VerdictDirection::kNone) ++claimed;
    }
    EXPECT_GT(clear, least_clear * kRuns) << size;
    EXPECT_LT(claimed, 0.065 * kRuns) << size;  // three deviations above 5%
    EXPECT_GT(claimed, 0.02 * kRuns) << size;
  }
}

}  // namespace
}  // namespace palimpsest
