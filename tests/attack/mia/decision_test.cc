#include "palimpsest/attack/internal/mia/decision.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "palimpsest/attack/internal/mia/form_clusters.h"
#include "palimpsest/stat/binomial.h"
#include "palimpsest/stat/internal/normal.h"
#include "tests/attack/mia/audit_scores.h"
#include "tests/attack/score_sets.h"
#include "tests/support/expect_error.h"

namespace palimpsest::attack {
namespace {

std::optional<Decision> decide_on(const TraceScores& forget, const TraceScores& holdout,
                                  const DecisionOptions& options = {}) {
  return decide({forget.columns[0], holdout.columns[0]}, clusters_of({}, forget, holdout), options);
}

// Clusters of these sizes, one after the other; the second set's own unless `shared`.
ExampleClusters clusters_of_sizes(const std::vector<int64_t>& sizes, bool shared) {
  ExampleClusters clusters{.name = "author"};
  for (size_t g = 0; g < sizes.size(); ++g) {
    const auto number = static_cast<int64_t>(g);
    clusters.forget.insert(clusters.forget.end(), static_cast<size_t>(sizes[g]), number);
    clusters.holdout.insert(clusters.holdout.end(), static_cast<size_t>(sizes[g]),
                            shared ? number : static_cast<int64_t>(sizes.size()) + number);
  }
  return clusters;
}

TEST(DecisionTest, SeparatedSetsAreDecidedWithoutCost) {
  const auto decision = decide_on(set_of({1, 1, 1, 1}), set_of({3, 3, 3, 3}));
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->score_at_most, 1);
  EXPECT_EQ(decision->tpr, 1);
  EXPECT_EQ(decision->fpr, 0);
  EXPECT_EQ(decision->cost, 0);
  EXPECT_EQ(decision->validation_auc, 1);
  EXPECT_EQ(decision->counts, (stat::Confusion{2, 0, 0, 2}));
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

TEST(DecisionTest, ClustersAreNeverDivided) {
  // Two of four clusters are in the rest: sums of two of 1, 3, 9 and 27. By example it would be 20.
  const std::vector<int64_t> sizes = {1, 3, 9, 27};
  const std::set<int64_t> possible = {4, 10, 28, 12, 30, 36};
  const TraceScores forget = normal_set(1, 40, 0);
  const TraceScores holdout = normal_set(2, 40, 1);
  std::set<int64_t> seen;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const auto decision = decide({forget.columns[0], holdout.columns[0]},
                                 clusters_of_sizes(sizes, false), {.seed = seed});
    ASSERT_TRUE(decision);
    EXPECT_TRUE(possible.contains(decision->counts.positives())) << seed;
    EXPECT_TRUE(possible.contains(decision->counts.negatives())) << seed;
    seen.insert(decision->counts.positives());
  }
  EXPECT_EQ(seen, possible);
}

TEST(DecisionTest, AClusterInBothSetsIsInOnePart) {
  const TraceScores forget = normal_set(1, 40, 0);
  const TraceScores holdout = normal_set(2, 40, 1);
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const auto decision = decide({forget.columns[0], holdout.columns[0]},
                                 clusters_of_sizes({1, 3, 9, 27}, true), {.seed = seed});
    ASSERT_TRUE(decision);
    EXPECT_EQ(decision->counts.positives(), decision->counts.negatives()) << seed;
  }
}

TEST(DecisionTest, AlternativesOfOneExampleStayTogether) {
  TraceScores forget = normal_set(1, 40, 0);
  TraceScores holdout = normal_set(2, 40, 1);
  for (auto* set : {&forget, &holdout}) {
    for (size_t i = 0; i < set->examples.size(); ++i)
      set->examples[i] = {std::to_string(i < 30 ? 0 : i), static_cast<int64_t>(i < 30 ? i : 0)};
  }
  for (uint64_t seed = 0; seed < 10; ++seed) {
    // Eleven examples, five of them for choosing: six or, with the thirty alternatives, 35.
    const auto decision = decide_on(forget, holdout, {.seed = seed});
    ASSERT_TRUE(decision);
    EXPECT_TRUE(decision->counts.positives() == 6 || decision->counts.positives() == 35);
  }
}

// Of ten authors of each set five are left to measure the rates on, with an intraclass correlation
// of 0.3. An interval that counts their 100 questions as independent covers far less than it says.
TEST(DecisionTest, IntervalsOfRatesCountClusters) {
  constexpr int kRuns = 600;
  int covered = 0;
  int covered_by_examples = 0;
  for (uint64_t run = 0; run < kRuns; ++run) {
    const AuditScores audit = draw_audit(
        {.forget_authors = 10, .holdout_authors = 10, .icc = 0.3, .shift = 1, .attacks = 1},
        Random(run));
    const auto decision =
        decide({audit.forget[0], audit.holdout[0]}, audit.clusters, {.seed = run});
    ASSERT_TRUE(decision);
    const double truth = stat::normal_cdf(decision->score_at_most - 1);
    covered += decision->fpr_interval.contains(truth) ? 1 : 0;
    const stat::Confusion& counts = decision->counts;
    covered_by_examples +=
        stat::clopper_pearson(counts.false_positives, counts.negatives(), 0.95).contains(truth) ? 1
                                                                                                : 0;
  }
  EXPECT_GE(covered, 0.93 * kRuns);
  EXPECT_LE(covered_by_examples, 0.85 * kRuns);
}

TEST(DecisionTest, PerfectRatesAreWorthTheirClusters) {
  const std::vector<int64_t> sizes(10, 5);
  const TraceScores forget = set_of(ScoreColumn(50, 1.0));
  const TraceScores holdout = set_of(ScoreColumn(50, 3.0));
  const auto decision =
      decide({forget.columns[0], holdout.columns[0]}, clusters_of_sizes(sizes, false), {});
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->tpr, 1);
  EXPECT_EQ(decision->tpr_interval.high, 1);
  // Five clusters at most, not 25 examples.
  EXPECT_LE(decision->tpr_interval.low, stat::clopper_pearson(5, 5, 0.95).low);
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
}  // namespace palimpsest::attack
