#include "palimpsest/stat/tpr_interval.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"
#include "palimpsest/stat/binomial.h"

namespace palimpsest::stat {
namespace {

LabelledScores normal_scores(int64_t positives, int64_t negatives, double shift) {
  Random random(7);
  LabelledScores scores;
  for (int64_t i = 0; i < positives; ++i) scores.positives.push_back(random.normal() + shift);
  for (int64_t i = 0; i < negatives; ++i) scores.negatives.push_back(random.normal());
  return scores;
}

Interval independent_interval(const LabelledScores& scores, double fpr, double confidence = 0.95) {
  const auto clusters = independent_items(scores.positive_count(), scores.negative_count());
  return tpr_interval(scores, clusters, fpr, confidence).value();
}

TEST(TprIntervalTest, IsWiderThanWithAKnownThreshold) {
  const LabelledScores scores = normal_scores(400, 400, 1);
  const Interval found = independent_interval(scores, 0.1);
  const Interval fixed = clopper_pearson(160, 400, 0.95);
  EXPECT_GT(found.high - found.low, 1.2 * (fixed.high - fixed.low));
  EXPECT_LT(independent_interval(scores, 0.1, 0.9).high, found.high);
}

// Where every positive is beyond every negative, or none is, nearly all terms are alike. Only with
// no negative at all beyond the true threshold, which has the probability (1 - f)^n, nothing is
// known.
TEST(TprIntervalTest, SeparatedScoresHaveAClosedForm) {
  const Interval all = independent_interval(normal_scores(50, 400, 100), 0.01);
  EXPECT_EQ(all.high, 1);
  const double unknown = std::pow(0.99, 400);
  EXPECT_NEAR(all.low, std::pow((0.05 - unknown) / (1 - unknown), 1.0 / 50), 1e-9);
  const Interval none = independent_interval(normal_scores(50, 400, -100), 0.01);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 1 - std::pow(0.05, 1.0 / 50), 1e-9);
}

TEST(TprIntervalTest, EqualScoresSayNothingButThatNoneStandsOut) {
  const LabelledScores equal{std::vector<double>(50, 1.0), std::vector<double>(400, 1.0)};
  const Interval found = independent_interval(equal, 0.01);
  EXPECT_EQ(found.low, 0);
  EXPECT_LT(found.high, 0.1);
}

TEST(TprIntervalTest, NeedsThreeNegativesBeyond) {
  const LabelledScores scores = normal_scores(50, 299, 1);
  EXPECT_FALSE(tpr_interval(scores, independent_items(50, 299), 0.01));
  EXPECT_TRUE(tpr_interval(normal_scores(50, 300, 1), independent_items(50, 300), 0.01));
  EXPECT_FALSE(tpr_interval({}, {}, 0.1));
  EXPECT_FALSE(tpr_interval({.positives = {}, .negatives = std::vector<double>(50)},
                            independent_items(0, 50), 0.1));
}

TEST(TprIntervalTest, NumbersOfARate) {
  EXPECT_EQ(negatives_for_fpr(0.1), 30);
  EXPECT_EQ(negatives_for_fpr(0.01), 300);
  EXPECT_EQ(negatives_for_fpr(0.001), 3000);
  EXPECT_EQ(negatives_for_fpr(0.07), 43);
  EXPECT_EQ(negatives_for_fpr(1), 3);
  EXPECT_DOUBLE_EQ(expected_fpr(400, 0.01), 5.0 / 401);
  EXPECT_DOUBLE_EQ(expected_fpr(100, 0.29), 30.0 / 101);
}

TEST(TprIntervalTest, ClustersOfOneChangeNothing) {
  const LabelledScores scores = normal_scores(90, 130, 1);
  ScoreClusters shuffled = independent_items(90, 130);
  std::reverse(shuffled.positives.begin(), shuffled.positives.end());
  for (int64_t& cluster : shuffled.negatives) cluster *= 3;  // numbers without items
  EXPECT_EQ(tpr_interval(scores, shuffled, 0.1), independent_interval(scores, 0.1));
}

// Every score ten times, as ten copies of one item: worth as much as one of them.
TEST(TprIntervalTest, CopiesOfAnItemCountOnce) {
  const LabelledScores once = normal_scores(60, 80, 1);
  LabelledScores scores;
  ScoreClusters clusters;
  for (int copy = 0; copy < 10; ++copy) {
    for (size_t i = 0; i < 60; ++i) scores.positives.push_back(once.positives[i] + 1e-9 * copy);
    for (size_t i = 0; i < 80; ++i) scores.negatives.push_back(once.negatives[i] + 1e-9 * copy);
    for (int64_t i = 0; i < 60; ++i) clusters.positives.push_back(i);
    for (int64_t i = 0; i < 80; ++i) clusters.negatives.push_back(60 + i);
  }
  const auto found = tpr_interval(scores, clusters, 0.1);
  const Interval single = independent_interval(once, 0.1);
  ASSERT_TRUE(found);
  // Effective sizes and orders are rounded to the wider side.
  EXPECT_NEAR(found->low, single.low, 0.06);
  EXPECT_NEAR(found->high, single.high, 0.06);
  const Interval naive = independent_interval(scores, 0.1);
  EXPECT_LT(naive.high - naive.low, 0.5 * (found->high - found->low));
}

TEST(TprIntervalTest, AClassInOneClusterSaysNothing) {
  const LabelledScores scores = normal_scores(50, 60, 1);
  ScoreClusters clusters = independent_items(50, 60);
  std::fill(clusters.positives.begin(), clusters.positives.end(), 0);
  const auto found = tpr_interval(scores, clusters, 0.1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->low, 0);
  EXPECT_GT(found->high, 0.9);
}

TEST(TprIntervalTest, RefusesWhatIsOutOfRange) {
  const LabelledScores scores = normal_scores(5, 40, 1);
  const ScoreClusters clusters = independent_items(5, 40);
  for (double bad : {0.0, 1.0, -0.1, std::nan("")})
    EXPECT_THROW(tpr_interval(scores, clusters, bad), Error);
  EXPECT_THROW(tpr_interval(scores, clusters, 0.1, 1), Error);
  EXPECT_THROW(tpr_interval(scores, independent_items(5, 39), 0.1), Error);
}

}  // namespace
}  // namespace palimpsest::stat
