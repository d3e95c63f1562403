#include "palimpsest/stat/effective_epsilon.h"

#include <gtest/gtest.h>

#include <cmath>

namespace palimpsest::stat {
namespace {

Confusion rates(int64_t tp, int64_t fn, int64_t fp, int64_t tn) {
  return {tp, fn, fp, tn};
}

TEST(EffectiveEpsilonTest, OfPredictions) {
  EXPECT_DOUBLE_EQ(*effective_epsilon(rates(8, 2, 4, 6)), std::log(0.6 / 0.2));
  EXPECT_DOUBLE_EQ(*effective_epsilon(rates(2, 8, 1, 9)), std::log(0.2 / 0.1));
}

TEST(EffectiveEpsilonTest, DegenerateRates) {
  EXPECT_EQ(effective_epsilon(rates(5, 5, 0, 10)), INFINITY);
  EXPECT_EQ(effective_epsilon(rates(10, 0, 5, 5)), INFINITY);
  EXPECT_EQ(effective_epsilon(rates(0, 10, 0, 10)), 0);  // 0/0 says nothing, 1/1 says 0
  EXPECT_EQ(effective_epsilon(rates(10, 0, 10, 0)), 0);
  EXPECT_FALSE(effective_epsilon(rates(0, 0, 1, 1)));
  EXPECT_FALSE(effective_epsilon(rates(1, 1, 0, 0)));
}

TEST(EffectiveEpsilonTest, AnAttackWorseThanGuessingIsNegative) {
  EXPECT_LT(*effective_epsilon(rates(2, 8, 8, 2)), 0);
}

TEST(EffectiveEpsilonTest, OfScoresUsesSignificantThresholdsOnly) {
  // 20 scores: the first and the last two are no thresholds. At 3 .. 18 the best is 18: 2/10 over
  // 1/10 against (1-.1)/(1-.2).
  LabelledScores scores;
  for (int i = 1; i <= 20; ++i) (i % 2 == 0 ? scores.positives : scores.negatives).push_back(i);
  EXPECT_DOUBLE_EQ(*effective_epsilon(scores), std::log(2.0));
}

TEST(EffectiveEpsilonTest, ConstantScoresHaveNoUsableThreshold) {
  EXPECT_FALSE(effective_epsilon({.positives = {1, 1, 1}, .negatives = {1, 1, 1}}));
  EXPECT_FALSE(effective_epsilon({.positives = {1, 2, 3}, .negatives = {}}));
  EXPECT_FALSE(effective_epsilon({.positives = {1}, .negatives = {2}}));
}

TEST(EffectiveEpsilonTest, SeparatedScoresAreInfinite) {
  EXPECT_EQ(effective_epsilon({.positives = {4, 5, 6}, .negatives = {1, 2, 3}}), INFINITY);
}

TEST(ConfusionTest, CountsAndSwaps) {
  const Confusion counts = confusion_at({.positives = {1, 2, 3}, .negatives = {0, 2}}, 2);
  EXPECT_EQ(counts, (Confusion{2, 1, 1, 1}));
  EXPECT_EQ(counts.swapped(), (Confusion{1, 1, 1, 2}));
  EXPECT_EQ(counts.swapped().swapped(), counts);
}

}  // namespace
}  // namespace palimpsest::stat
