#include "palimpsest/stat/roc.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"
#include "palimpsest/stat/tpr_interval.h"

namespace palimpsest::stat {
namespace {

const LabelledScores kScores{.positives = {0.9, 0.8, 0.4, 0.35},
                             .negatives = {0.8, 0.3, 0.2, 0.1, 0}};

TEST(RocCurveTest, RunsFromNothingToEverything) {
  const auto curve = roc_curve(kScores, {.drop_intermediate = false});
  ASSERT_TRUE(curve);
  EXPECT_EQ(curve->thresholds,
            (std::vector<double>{INFINITY, 0.9, 0.8, 0.4, 0.35, 0.3, 0.2, 0.1, 0}));
  EXPECT_EQ(curve->tpr, (std::vector<double>{0, 0.25, 0.5, 0.75, 1, 1, 1, 1, 1}));
  EXPECT_EQ(curve->fpr, (std::vector<double>{0, 0, 0.2, 0.2, 0.2, 0.4, 0.6, 0.8, 1}));
}

TEST(RocCurveTest, LeavesOutPointsOnALine) {
  const auto curve = roc_curve(kScores);
  ASSERT_TRUE(curve);
  EXPECT_EQ(curve->thresholds, (std::vector<double>{INFINITY, 0.9, 0.8, 0.35, 0}));
}

TEST(RocCurveTest, IsUndefinedWithoutBothClasses) {
  EXPECT_FALSE(roc_curve({.positives = {1}, .negatives = {}}));
}

TEST(TprAtFprTest, TakesTheBestAchievablePoint) {
  const auto point = tpr_at_fpr(kScores, 0.7);
  ASSERT_TRUE(point);
  EXPECT_EQ(point->tpr, 1);
  EXPECT_EQ(point->realized_fpr, 0.2);
  EXPECT_DOUBLE_EQ(point->expected_fpr, 4.0 / 6);
  EXPECT_EQ(point->threshold, 0.35);
  EXPECT_EQ(point->true_positives, 4);
  EXPECT_EQ(point->positives, 4);
  EXPECT_EQ(point->false_positives, 1);
  EXPECT_EQ(point->negatives, 5);
  EXPECT_EQ(point->tpr_interval, tpr_interval(kScores, independent_items(4, 5), 0.7));
}

// The point without sorting is the one that the whole curve has.
TEST(TprAtFprTest, IsAPointOfTheCurve) {
  Random random(3);
  LabelledScores scores;
  for (int i = 0; i < 70; ++i) scores.positives.push_back(std::floor(5 * random.normal()) + 3);
  for (int i = 0; i < 90; ++i) scores.negatives.push_back(std::floor(5 * random.normal()));
  const auto curve = roc_curve(scores, {.drop_intermediate = false});
  for (double fpr : {0.04, 0.1, 0.3, 0.5, 0.9, 1.0}) {
    double best = 0;
    double realized = 0;
    double threshold = INFINITY;
    for (size_t i = 0; i < curve->fpr.size() && curve->fpr[i] <= fpr; ++i) {
      if (curve->tpr[i] <= best) continue;
      best = curve->tpr[i];
      realized = curve->fpr[i];
      threshold = curve->thresholds[i];
    }
    const auto point = tpr_at_fpr(scores, fpr);
    ASSERT_TRUE(point);
    EXPECT_EQ(point->tpr, best);
    EXPECT_EQ(point->realized_fpr, realized);
    EXPECT_EQ(point->threshold, threshold);
  }
}

TEST(TprAtFprTest, ClustersWidenTheInterval) {
  LabelledScores scores;
  ScoreClusters clusters;
  for (int64_t i = 0; i < 100; ++i) {
    const auto level = static_cast<double>(i / 10 * 37 % 10);
    scores.positives.push_back(level + 0.01 * static_cast<double>(i));
    scores.negatives.push_back(level - 0.01 * static_cast<double>(i));
    clusters.positives.push_back(i / 10);
    clusters.negatives.push_back(10 + i / 10);
  }
  const auto separate = tpr_at_fpr(scores, 0.25);
  const auto together = tpr_at_fpr(scores, clusters, 0.25);
  ASSERT_TRUE(separate && together);
  EXPECT_EQ(separate->tpr, together->tpr);
  EXPECT_LT(together->tpr_interval.low, separate->tpr_interval.low);
  EXPECT_GT(together->tpr_interval.high, separate->tpr_interval.high);
  EXPECT_THROW(tpr_at_fpr(scores, independent_items(100, 99), 0.25), Error);
}

TEST(TprAtFprTest, ARateOfOneTakesEverything) {
  const auto point = tpr_at_fpr(kScores, 1);
  ASSERT_TRUE(point);
  EXPECT_EQ(point->tpr, 1);
  EXPECT_EQ(point->tpr_interval, (Interval{1, 1}));
  EXPECT_EQ(point->expected_fpr, 1);
}

TEST(TprAtFprTest, NothingAchievableIsZeroAtAnInfiniteThreshold) {
  const auto point = tpr_at_fpr({{0, 0}, std::vector<double>(6, 0)}, 0.5);
  ASSERT_TRUE(point);
  EXPECT_EQ(point->tpr, 0);
  EXPECT_EQ(point->realized_fpr, 0);
  EXPECT_EQ(point->threshold, INFINITY);
}

TEST(TprAtFprTest, RefusesARateThatTheSampleCannotResolve) {
  EXPECT_FALSE(tpr_at_fpr(kScores, 0.59));
  EXPECT_TRUE(tpr_at_fpr(kScores, 0.6));
  LabelledScores many{.positives = {1}, .negatives = std::vector<double>(300, 0)};
  EXPECT_TRUE(tpr_at_fpr(many, 0.01));
  EXPECT_FALSE(tpr_at_fpr(many, 0.001));
}

TEST(TprAtFprTest, RefusesWhatIsNoRate) {
  for (double bad : {0.0, -0.1, 1.1, std::nan("")}) EXPECT_THROW(tpr_at_fpr(kScores, bad), Error);
}

TEST(BestThresholdTest, AdvantageAndAccuracy) {
  const auto best = advantage(kScores);
  ASSERT_TRUE(best);
  EXPECT_DOUBLE_EQ(best->value, 0.8);
  EXPECT_EQ(best->threshold, 0.35);
  EXPECT_DOUBLE_EQ(best_accuracy(kScores)->value, 8.0 / 9);
}

TEST(BestThresholdTest, AUselessAttackHasNoAdvantage) {
  const auto best = advantage({.positives = {0, 0}, .negatives = {1, 1, 1}});
  ASSERT_TRUE(best);
  EXPECT_EQ(best->value, 0);
  EXPECT_EQ(best->threshold, INFINITY);
  // Calling everything negative is right for three of five.
  EXPECT_DOUBLE_EQ(best_accuracy({.positives = {0, 0}, .negatives = {1, 1, 1}})->value, 0.6);
  EXPECT_FALSE(best_accuracy({}));
}

TEST(LeastCostTest, WeighsTheTwoErrors) {
  const LabelledScores scores{.positives = {4, 2}, .negatives = {3, 1}};
  const auto equal = least_cost(scores, {});
  ASSERT_TRUE(equal);
  EXPECT_EQ(equal->value, 0.25);  // one of four wrong
  EXPECT_EQ(equal->threshold, 4);
  const auto miss_nothing = least_cost(scores, {.false_positive = 1, .false_negative = 10});
  EXPECT_EQ(miss_nothing->threshold, 2);
  EXPECT_EQ(miss_nothing->value, 0.25);
  const auto accuse_nobody = least_cost(scores, {.false_positive = 1, .false_negative = 0});
  EXPECT_EQ(accuse_nobody->threshold, INFINITY);
  EXPECT_EQ(accuse_nobody->value, 0);
  EXPECT_FALSE(std::signbit(accuse_nobody->value));
  EXPECT_FALSE(least_cost({}, {}));
}

TEST(LeastCostTest, RefusesCostsOutOfRange) {
  EXPECT_THROW(least_cost(kScores, {.false_positive = -1}), Error);
  EXPECT_THROW(least_cost(kScores, {.false_negative = INFINITY}), Error);
  EXPECT_THROW(least_cost(kScores, {.false_positive = 0, .false_negative = 0}), Error);
}

}  // namespace
}  // namespace palimpsest::stat
