#include "palimpsest/stat/roc.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/binomial.h"

namespace palimpsest {
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
  const auto point = tpr_at_fpr(kScores, 0.3);
  ASSERT_TRUE(point);
  EXPECT_EQ(point->tpr, 1);
  EXPECT_EQ(point->realized_fpr, 0.2);
  EXPECT_EQ(point->threshold, 0.35);
  EXPECT_EQ(point->true_positives, 4);
  EXPECT_EQ(point->positives, 4);
  EXPECT_EQ(point->false_positives, 1);
  EXPECT_EQ(point->negatives, 5);
  EXPECT_EQ(point->tpr_interval, clopper_pearson(4, 4, 0.95));
}

TEST(TprAtFprTest, NothingAchievableIsZeroAtAnInfiniteThreshold) {
  const auto point = tpr_at_fpr({.positives = {0, 0}, .negatives = {0, 0}}, 0.5);
  ASSERT_TRUE(point);
  EXPECT_EQ(point->tpr, 0);
  EXPECT_EQ(point->realized_fpr, 0);
  EXPECT_EQ(point->threshold, INFINITY);
}

TEST(TprAtFprTest, RefusesARateThatTheSampleCannotResolve) {
  EXPECT_FALSE(tpr_at_fpr(kScores, 0.19));
  EXPECT_TRUE(tpr_at_fpr(kScores, 0.2));
  LabelledScores hundred{.positives = {1}, .negatives = std::vector<double>(100, 0)};
  EXPECT_TRUE(tpr_at_fpr(hundred, 0.01));
  EXPECT_FALSE(tpr_at_fpr(hundred, 0.001));
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
}  // namespace palimpsest
