#include "palimpsest/attack/internal/mia/comparison.h"

#include <gtest/gtest.h>

#include "palimpsest/attack/internal/mia/form_clusters.h"
#include "tests/attack/score_sets.h"
#include "tests/support/expect_error.h"

namespace palimpsest::attack {
namespace {

// A column of the same examples as `set`, with noise added to each score.
ScoreColumn noisy(const ScoreColumn& scores, uint64_t seed, double noise) {
  Random random(seed);
  ScoreColumn result;
  for (const auto& score : scores) result.push_back(*score + noise * random.normal());
  return result;
}

// Every example a cluster of its own.
ExampleClusters own_clusters(size_t forget, size_t holdout) {
  ExampleClusters clusters;
  for (size_t i = 0; i < forget; ++i) clusters.forget.push_back(static_cast<int64_t>(i));
  for (size_t i = 0; i < holdout; ++i) clusters.holdout.push_back(static_cast<int64_t>(forget + i));
  return clusters;
}

std::vector<AttackComparison> compared(const std::vector<ScoreColumns>& attacks) {
  const ExampleClusters clusters =
      own_clusters(attacks[0].forget.size(), attacks[0].holdout.size());
  std::vector<std::optional<stat::ClusteredAuc>> estimates;
  for (const ScoreColumns& attack : attacks) {
    const stat::ClusteredScores scored = to_clustered(attack, clusters);
    estimates.push_back(stat::clustered_auc(scored.scores, scored.clusters));
  }
  std::vector<EstimatedColumns> columns;
  for (size_t a = 0; a < attacks.size(); ++a)
    columns.push_back({attacks[a], estimates[a] ? &*estimates[a] : nullptr});
  return compare_attacks(columns, clusters, 0.95);
}

TEST(ComparisonTest, EveryPairIsTestedAndCorrected) {
  const ScoreColumn forget = normal_set(1, 300, 0).columns[0];
  const ScoreColumn holdout = normal_set(2, 300, 1).columns[0];
  const ScoreColumn forget_b = noisy(forget, 3, 0.2);
  const ScoreColumn holdout_b = noisy(holdout, 4, 0.2);
  const ScoreColumn forget_c = noisy(forget, 5, 5);
  const ScoreColumn holdout_c = noisy(holdout, 6, 5);
  const auto pairs = compared({{forget, holdout}, {forget_b, holdout_b}, {forget_c, holdout_c}});
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_EQ(pairs[0].a, 0U);
  EXPECT_EQ(pairs[0].b, 1U);
  EXPECT_EQ(pairs[2].a, 1U);
  EXPECT_EQ(pairs[2].b, 2U);
  EXPECT_GT(*pairs[0].holm_p_value, 0.05);
  EXPECT_LT(*pairs[1].holm_p_value, 0.05);  // the third attack is mostly noise
  EXPECT_GT(pairs[1].test->difference.low, 0);
  for (const AttackComparison& pair : pairs) EXPECT_GE(*pair.holm_p_value, pair.test->p_value);
}

TEST(ComparisonTest, AttacksWithDifferentGapsAreComparedOnWhatBothScore) {
  ScoreColumn forget = normal_set(1, 30, 0).columns[0];
  const ScoreColumn holdout = normal_set(2, 30, 1).columns[0];
  const ScoreColumn whole = forget;
  forget[3] = std::nullopt;
  const auto pairs = compared({{whole, holdout}, {forget, holdout}});
  ASSERT_TRUE(pairs.at(0).test);
  EXPECT_EQ(pairs[0].test->auc_a, pairs[0].test->auc_b);
  EXPECT_EQ(pairs[0].test->p_value, 1);
}

TEST(ComparisonTest, TooFewExamplesGiveNoTest) {
  const ScoreColumn one = {1};
  const auto pairs = compared({{one, one}, {one, one}});
  EXPECT_FALSE(pairs.at(0).test);
  EXPECT_FALSE(pairs[0].holm_p_value);
  EXPECT_TRUE(compared({{one, one}}).empty());
}

TEST(MatchExamplesTest, FindsThemInAnyOrder) {
  TraceScores to = set_of({1, 2});
  TraceScores from = set_of({1, 2, 3});
  from.examples = {{"1", 0}, {"x", 0}, {"0", 0}};
  EXPECT_EQ(match_examples(to, from, "there"), (std::vector<size_t>{2, 0}));
  to.examples[1].alternative = 1;
  expect_contains(error_of([&] { match_examples(to, from, "the others"); }),
                  "the others lack the example '1/1'");
}

TEST(MatchExamplesTest, RefusesOtherTexts) {
  const TraceScores to = with_texts(set_of({1, 2}), {"a", "b"});
  EXPECT_EQ(match_examples(to, set_of({1, 2}), "there").size(), 2U);
  expect_contains(error_of([&] {
                    match_examples(to, with_texts(set_of({1, 2}), {"a", "c"}), "the others");
                  }),
                  "the others have a different text for the example '1'");
}

}  // namespace
}  // namespace palimpsest::attack
