#include "palimpsest/attack/scored_attack.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/support/expect_error.h"

namespace palimpsest::attack {
namespace {

ScoredAttack scored(const ScoreColumn& forget, const ScoreColumn& holdout) {
  const auto set_of = [](const ScoreColumn& scores) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < scores.size(); ++i) keys.push_back(std::to_string(i));
    return set_scores(keys, scores);
  };
  return {.attack = "loss", .forget = set_of(forget), .holdout = set_of(holdout)};
}

// The example of the header.
TEST(ScoredAttackTest, TheAucCountsHoldoutExamplesThatAreLessFamiliar) {
  EXPECT_EQ(auc_of(scored({1, 2}, {2, 3, std::nullopt})), 0.875);
  EXPECT_EQ(auc_of(scored({1, 2}, {3, 4})), 1);
  EXPECT_EQ(auc_of(scored({3, 4}, {1, 2})), 0);
  EXPECT_EQ(auc_of(scored({0.0}, {-0.0})), 0.5);
}

TEST(ScoredAttackTest, WithoutScoresOfBothSetsThereIsNoAuc) {
  EXPECT_EQ(auc_of({}), std::nullopt);
  EXPECT_EQ(auc_of(scored({1}, {})), std::nullopt);
  EXPECT_EQ(auc_of(scored({1}, {std::nullopt})), std::nullopt);
}

TEST(ScoredAttackTest, UndefinedScoresAreCountedAndLeftOutOfTheMean) {
  const SetScores set = set_scores(ExampleKeys({"a", "b", "c"}), {1, std::nullopt, 2});
  EXPECT_EQ(set.undefined, 1);
  EXPECT_EQ(set.mean, 1.5);
  const SetScores nothing = set_scores(ExampleKeys({"a"}), {std::nullopt});
  EXPECT_EQ(nothing.undefined, 1);
  EXPECT_EQ(nothing.mean, std::nullopt);
  EXPECT_EQ(set_scores(ExampleKeys(), {}).mean, std::nullopt);
  EXPECT_TRUE(SetScores().keys.list().empty());
}

TEST(ScoredAttackTest, AnotherOrderMayLeaveOutExamplesButLacksNone) {
  const SetScores set = set_scores(ExampleKeys({"0", "1", "1/1"}), {5, std::nullopt, 7});
  const ExampleKeys keys = ExampleKeys({"1/1", "1"});
  const std::optional<SetScores> ordered = in_order(set, keys);
  ASSERT_TRUE(ordered);
  EXPECT_EQ(&ordered->keys.list(), &keys.list());  // shared, not copied
  EXPECT_EQ(ordered->scores, (ScoreColumn{7, std::nullopt}));
  EXPECT_EQ(ordered->undefined, 1);
  EXPECT_EQ(ordered->mean, 7);
  EXPECT_FALSE(in_order(set, ExampleKeys({"0", "2"})));
}

TEST(ScoredAttackTest, EveryScoreNeedsAKey) {
  expect_contains(error_of([] {
                    set_scores(ExampleKeys({"0", "1"}), {0.5});
                  }),
                  "2 keys and 1 scores");
}

TEST(ScoredAttackTest, KeysThatWereMovedAwayAreNone) {
  ExampleKeys keys({"0", "1"});
  const ExampleKeys others = std::move(keys);
  EXPECT_EQ(others.size(), 2U);
  EXPECT_EQ(keys.size(), 0U);  // NOLINT(bugprone-use-after-move): this is what is tested
  EXPECT_TRUE(keys.list().empty());
  EXPECT_TRUE(SetScores{.keys = keys}.has_keys());
}

TEST(ScoredAttackTest, AScoreWithoutAKeyHasNoOrder) {
  SetScores set = set_scores(ExampleKeys({"0", "1"}), {0.5, 1.5});
  EXPECT_TRUE(in_order(set, ExampleKeys({"1"})));
  set.scores.push_back(2.5);
  EXPECT_EQ(in_order(set, ExampleKeys({"1"})), std::nullopt);
  set.keys = {};
  EXPECT_EQ(in_order(set, ExampleKeys({"1"})), std::nullopt);
}

}  // namespace
}  // namespace palimpsest::attack
