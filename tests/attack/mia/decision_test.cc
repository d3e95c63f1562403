#include "palimpsest/attack/mia/decision.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/attack/score_sets.h"
#include "tests/support/expect_error.h"

namespace palimpsest {
namespace {

std::optional<Decision> decide_on(const TraceScores& forget, const TraceScores& holdout,
                                  const DecisionOptions& options = {}) {
  return decide({forget.columns[0], holdout.columns[0]}, options);
}

TEST(DecisionTest, SeparatedSetsAreDecidedWithoutCost) {
  const auto decision = decide_on(set_of({1, 1, 1, 1}), set_of({3, 3, 3, 3}));
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->score_at_most, 1);
  EXPECT_EQ(decision->tpr, 1);
  EXPECT_EQ(decision->fpr, 0);
  EXPECT_EQ(decision->cost, 0);
  EXPECT_EQ(decision->validation_auc, 1);
  EXPECT_EQ(decision->counts, (Confusion{2, 0, 0, 2}));
  EXPECT_EQ(decision->tpr_interval.high, 1);
  EXPECT_NEAR(decision->tpr_interval.low, std::sqrt(0.025), 1e-12);
}

TEST(DecisionTest, CostsMoveTheThreshold) {
  const TraceScores forget = normal_set(1, 400, 0);
  const TraceScores holdout = normal_set(2, 400, 1);
  const auto equal = decide_on(forget, holdout);
  const auto careful = decide_on(forget, holdout, {.costs = {.false_positive = 10}});
  const auto eager = decide_on(forget, holdout, {.costs = {.false_negative = 10}});
  ASSERT_TRUE(equal && careful && eager);
  EXPECT_LT(careful->fpr, equal->fpr);
  EXPECT_GT(eager->tpr, equal->tpr);
  EXPECT_TRUE(equal->tpr_interval.contains(equal->tpr));
  EXPECT_TRUE(equal->fpr_interval.contains(equal->fpr));
  EXPECT_NEAR(equal->cost, (1 - equal->tpr + equal->fpr) / 2, 1e-12);
}

TEST(DecisionTest, NeverAccusingIsAThresholdToo) {
  const auto decision = decide_on(set_of({9, 9, 9, 9}), set_of({1, 1, 1, 1}));
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->score_at_most, -INFINITY);
  EXPECT_EQ(decision->tpr, 0);
  EXPECT_EQ(decision->fpr, 0);
}

TEST(DecisionTest, TooFewExamplesGiveNone) {
  EXPECT_FALSE(decide_on(set_of({1}), set_of({2, 3})));
  EXPECT_FALSE(decide_on(set_of({1, std::nullopt}), set_of({2, 3})));
  EXPECT_FALSE(decide_on(set_of({}), set_of({})));
}

TEST(DecisionTest, RefusesOptionsOutOfRange) {
  const TraceScores set = set_of({1, 2});
  expect_contains(error_of([&] { decide_on(set, set, {.costs = {.false_positive = -1}}); }),
                  "cost");
  expect_contains(error_of([&] { decide_on(set, set, {.validation_split = 1}); }), "split");
}

// The rates on the rest are honest: on average they are those of fresh examples.
TEST(DecisionTest, TheRestIsNotOptimistic) {
  double on_rest = 0;
  double on_validation = 0;
  constexpr int kRuns = 2000;
  for (uint64_t run = 0; run < kRuns; ++run) {
    const auto decision =
        decide_on(normal_set(2 * run, 40, 0), normal_set(2 * run + 1, 40, 0), {.seed = run});
    on_rest += decision->cost / kRuns;
    on_validation += decision->validation_cost / kRuns;
  }
  EXPECT_NEAR(on_rest, 0.5, 0.01);  // nothing can be told apart, so half is wrong
  EXPECT_LT(on_validation, 0.45);
}

}  // namespace
}  // namespace palimpsest
