#include "palimpsest/stat/auc.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/random.h"

namespace palimpsest::stat {
namespace {

// P(positive > negative) + ½ P(equal), straight from the definition.
double auc_by_pairs(const LabelledScores& scores) {
  double wins = 0;
  for (double p : scores.positives) {
    for (double n : scores.negatives) wins += p > n ? 1 : p == n ? 0.5 : 0;
  }
  return wins / static_cast<double>(scores.positives.size() * scores.negatives.size());
}

TEST(AucTest, CountsTiesHalf) {
  EXPECT_EQ(auc({.positives = {0.9, 0.4}, .negatives = {0.4, 0.1}}), 0.875);
}

TEST(AucTest, TakesScoresWhereTheyAre) {
  const double scores[] = {0.9, 0.4, 0.4, 0.1};
  EXPECT_EQ(auc(std::span(scores, 2), std::span(scores + 2, 2)), 0.875);
}

TEST(AucTest, IsUndefinedWithoutBothClasses) {
  EXPECT_EQ(auc({.positives = {1}, .negatives = {}}), std::nullopt);
  EXPECT_EQ(auc({.positives = {}, .negatives = {1}}), std::nullopt);
  EXPECT_EQ(auc({}), std::nullopt);
}

TEST(AucTest, EqualsTheDefinitionOnRandomScoresWithTies) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    LabelledScores scores;
    const auto m = static_cast<int64_t>(random.below(60)) + 1;
    const auto n = static_cast<int64_t>(random.below(60)) + 1;
    for (int64_t i = 0; i < m; ++i) scores.positives.push_back(std::round(3 * random.normal()));
    for (int64_t i = 0; i < n; ++i) scores.negatives.push_back(std::round(3 * random.normal()));
    EXPECT_DOUBLE_EQ(*auc(scores), auc_by_pairs(scores)) << "seed " << seed;
  }
}

TEST(AucTest, LargeArraysUseTheParallelPathWithTheSameResult) {
  Random random(1);
  LabelledScores scores;
  for (int i = 0; i < 150'000; ++i) {
    scores.positives.push_back(random.normal() + 0.5);
    scores.negatives.push_back(random.normal());
  }
  // The AUC is the mean placement, computed by another route.
  double placements = 0;
  for (int64_t doubled : doubled_placements(scores.positives, scores.negatives)) {
    placements += static_cast<double>(doubled) / 2;
  }
  EXPECT_NEAR(*auc(scores), placements / (150'000.0 * 150'000.0), 1e-14);
}

TEST(AucTest, NegativeZeroTiesWithZero) {
  EXPECT_EQ(auc({.positives = {-0.0}, .negatives = {0.0}}), 0.5);
}

TEST(AucTest, NegatedScoresMirrorTheAuc) {
  const LabelledScores scores{.positives = {0.9, 0.4, 0.7}, .negatives = {0.4, 0.1}};
  LabelledScores negated = scores;
  for (double& s : negated.positives) s = -s;
  for (double& s : negated.negatives) s = -s;
  EXPECT_DOUBLE_EQ(*auc(negated), 1 - *auc(scores));
}

TEST(SeparatedAucIntervalTest, IsTheExactBoundOfTheDisjointPairs) {
  const LabelledScores scores{.positives = {3, 4, 5}, .negatives = {1, 2}};
  const Interval interval = separated_auc_interval(1, scores, 0.95);
  EXPECT_NEAR(interval.low, std::sqrt(0.025), 1e-12);
  EXPECT_EQ(interval.high, 1);
  EXPECT_NEAR(separated_auc_interval(0, scores, 0.95).high, 1 - std::sqrt(0.025), 1e-12);
}

}  // namespace
}  // namespace palimpsest::stat
