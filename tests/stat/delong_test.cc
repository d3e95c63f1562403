#include "palimpsest/stat/delong.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"

namespace palimpsest::stat {
namespace {

LabelledScores random_scores(uint64_t seed, int64_t m, int64_t n, double shift) {
  Random random(seed);
  LabelledScores scores;
  for (int64_t i = 0; i < m; ++i) scores.positives.push_back(random.normal() + shift);
  for (int64_t i = 0; i < n; ++i) scores.negatives.push_back(random.normal());
  return scores;
}

TEST(DelongTest, VarianceOfAWorkedExample) {
  // V10 = {1, 2/3, 2/3}, V01 = {1, 1, 1/3}: variances 1/27 and 4/27, a third of each.
  const LabelledScores scores{.positives = {9, 5, 6}, .negatives = {1, 2, 7}};
  const auto estimate = delong(scores);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->auc, 7.0 / 9, 1e-15);
  EXPECT_NEAR(estimate->variance, (1.0 / 27 + 4.0 / 27) / 3, 1e-15);
}

TEST(DelongTest, IntervalLiesInsideZeroAndOneAndContainsTheAuc) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const LabelledScores scores = random_scores(seed, 12, 9, 2.0);
    const auto interval = delong_interval(scores);
    ASSERT_TRUE(interval);
    EXPECT_TRUE(interval->contains(delong(scores)->auc));
    EXPECT_GE(interval->low, 0);
    EXPECT_LE(interval->high, 1);
  }
}

TEST(DelongTest, DegenerateCases) {
  EXPECT_FALSE(delong({.positives = {1}, .negatives = {0, 0.5}}));
  EXPECT_EQ(delong_interval({.positives = {}, .negatives = {0, 0.5}}), std::nullopt);
  EXPECT_EQ(delong_interval({.positives = {1}, .negatives = {0, 2}}), std::nullopt);
  // Perfect separation: the exact bound of two disjoint pairs.
  const auto separated = delong_interval({.positives = {3, 4}, .negatives = {1, 2}});
  ASSERT_TRUE(separated);
  EXPECT_NEAR(separated->low, std::sqrt(0.025), 1e-12);
  EXPECT_EQ(separated->high, 1);
  // All scores equal.
  EXPECT_EQ(delong_interval({.positives = {1, 1}, .negatives = {1, 1}}), std::nullopt);
}

TEST(DelongPairedTest, SameScoresDoNotDiffer) {
  const LabelledScores scores = random_scores(1, 20, 20, 1);
  const auto test = delong_test(scores, scores);
  ASSERT_TRUE(test);
  EXPECT_EQ(test->p_value, 1);
  EXPECT_EQ(test->difference.low, 0);
  EXPECT_EQ(test->difference.high, 0);
}

TEST(DelongPairedTest, SwappingTheScoresMirrorsTheTest) {
  const LabelledScores a = random_scores(1, 40, 30, 1.5);
  const LabelledScores b = random_scores(2, 40, 30, 0.2);
  const auto forward = delong_test(a, b);
  const auto backward = delong_test(b, a);
  ASSERT_TRUE(forward && backward);
  EXPECT_DOUBLE_EQ(*forward->p_value, *backward->p_value);
  EXPECT_DOUBLE_EQ(forward->difference.low, -backward->difference.high);
  EXPECT_LT(*forward->p_value, 0.01);
  EXPECT_GT(forward->difference.low, 0);
}

TEST(DelongPairedTest, DifferenceWithoutVarianceHasNoPValue) {
  const LabelledScores perfect{.positives = {3, 4}, .negatives = {1, 2}};
  const LabelledScores constant{.positives = {1, 1}, .negatives = {1, 1}};
  const auto test = delong_test(perfect, constant);
  ASSERT_TRUE(test);
  EXPECT_EQ(test->p_value, std::nullopt);
}

TEST(DelongPairedTest, RefusesScoresOfDifferentItems) {
  EXPECT_THROW(delong_test(random_scores(1, 5, 5, 0), random_scores(1, 5, 6, 0)), Error);
  const LabelledScores one_each{.positives = {1}, .negatives = {0}};
  EXPECT_FALSE(delong_test(one_each, one_each));
}

}  // namespace
}  // namespace palimpsest::stat
