#include "palimpsest/attack/mia.h"

#include <gtest/gtest.h>

#include "palimpsest/base/random.h"
#include "tests/support/expect_error.h"

namespace palimpsest {
namespace {

const AttackTable& loss_only() {
  static const AttackTable table = select_attacks(default_attack_table(), "loss");
  return table;
}

TraceScores set_of(const std::vector<std::optional<double>>& scores,
                   const std::string& model = "m") {
  TraceScores set{.header = {.model = model}, .columns = {scores}, .lacking = {""}};
  for (size_t i = 0; i < scores.size(); ++i) set.examples.push_back({std::to_string(i), 0});
  return set;
}

TraceScores normal_set(uint64_t seed, int64_t count, double mean) {
  Random random(seed);
  std::vector<std::optional<double>> scores;
  for (int64_t i = 0; i < count; ++i) scores.push_back(mean + random.normal());
  return set_of(scores);
}

AttackOutcome outcome_of(const TraceScores& forget, const TraceScores& holdout) {
  return mia({.attacks = loss_only(), .forget = forget, .holdout = holdout}, {}).outcomes.at(0);
}

TEST(MiaTest, LowLossOnTheForgetSetIsAucOne) {
  const AttackOutcome remembered = outcome_of(set_of({1, 2}), set_of({3, 4}));
  EXPECT_EQ(remembered.auc, 1);
  EXPECT_EQ(remembered.forget.mean, 1.5);
  const AttackOutcome over_forgotten = outcome_of(set_of({5, 6}), set_of({3, 4}));
  EXPECT_EQ(over_forgotten.auc, 0);
  EXPECT_EQ(outcome_of(set_of({1, 2}), set_of({1, 2})).auc, 0.5);
}

TEST(MiaTest, IntervalsContainTheAucAndTellRememberedFromForgotten) {
  const AttackOutcome remembered = outcome_of(normal_set(1, 200, 0), normal_set(2, 200, 1));
  ASSERT_TRUE(remembered.auc_ci && remembered.auc_ci_delong);
  EXPECT_TRUE(remembered.auc_ci->contains(*remembered.auc));
  EXPECT_TRUE(remembered.auc_ci_delong->contains(*remembered.auc));
  EXPECT_GT(remembered.auc_ci->low, 0.6);
  const AttackOutcome forgotten = outcome_of(normal_set(1, 200, 0), normal_set(2, 200, 0));
  EXPECT_TRUE(forgotten.auc_ci->contains(0.5));
}

TEST(MiaTest, TruePositivesAreForgetExamples) {
  // One holdout example looks like a member; at 10% FPR it is the price of all forget examples.
  std::vector<std::optional<double>> holdout(10, 9.0);
  holdout[0] = 0;
  const MiaReport report =
      mia({.attacks = loss_only(), .forget = set_of({1, 1, 8}), .holdout = set_of(holdout)},
          {.fprs = {0.1, 0.01}});
  ASSERT_TRUE(report.outcomes[0].tpr_at_fpr[0]);
  EXPECT_EQ(report.outcomes[0].tpr_at_fpr[0]->tpr, 1);
  EXPECT_EQ(report.outcomes[0].tpr_at_fpr[0]->false_positives, 1);
  EXPECT_FALSE(report.outcomes[0].tpr_at_fpr[1]);
  ASSERT_EQ(report.notes.size(), 1U);
  expect_contains(report.notes[0], "needs at least 100 holdout examples, there are 10");
}

TEST(MiaTest, UndefinedScoresAreLeftOutAndCounted) {
  const MiaReport report = mia(
      {.attacks = loss_only(), .forget = set_of({1, std::nullopt, 2}), .holdout = set_of({3, 4})},
      {.fprs = {}});
  EXPECT_EQ(report.outcomes[0].forget.undefined, 1);
  EXPECT_EQ(report.outcomes[0].forget.mean, 1.5);
  EXPECT_EQ(report.outcomes[0].auc, 1);
  ASSERT_EQ(report.notes.size(), 1U);
  expect_contains(report.notes[0], "1 forget and 0 holdout examples have no labelled token");
}

TEST(MiaTest, OnlyUndefinedScoresGiveAnUndefinedAuc) {
  const AttackOutcome outcome = outcome_of(set_of({std::nullopt}), set_of({3, 4}));
  EXPECT_EQ(outcome.auc, std::nullopt);
  EXPECT_FALSE(outcome.auc_ci);
  EXPECT_EQ(outcome.forget.mean, std::nullopt);
}

TEST(MiaTest, AnAttackThatLacksSomethingIsLeftOutOrRefused) {
  TraceScores forget = set_of({1, 2});
  forget.lacking = {"f.jsonl:2: 'text' is missing"};
  const TraceScores holdout = set_of({3, 4});
  expect_contains(
      error_of([&] {
        mia({.attacks = loss_only(), .forget = forget, .holdout = holdout, .only_possible = false},
            {});
      }),
      "f.jsonl:2: 'text' is missing, which the attack loss needs");
  // Where nothing is left there is nothing to report.
  expect_contains(
      error_of([&] { mia({.attacks = loss_only(), .forget = forget, .holdout = holdout}, {}); }),
      "the traces allow no attack");
}

TEST(MiaTest, RefusesTracesOfDifferentModels) {
  expect_contains(error_of([] {
                    outcome_of(set_of({1, 2}, "a"), set_of({1, 2}, "b"));
                  }),
                  "different models");
  EXPECT_NO_THROW(outcome_of(set_of({1, 2}, "a"), set_of({1, 2}, "")));
}

TEST(MiaTest, CountsTextsThatStandInBothSets) {
  TraceScores forget = set_of({1, 2});
  TraceScores holdout = set_of({3, 4});
  forget.text_hashes = {10, 11};
  holdout.text_hashes = {11, 12};
  const MiaReport report =
      mia({.attacks = loss_only(), .forget = forget, .holdout = holdout}, {.fprs = {}});
  ASSERT_EQ(report.notes.size(), 1U);
  expect_contains(report.notes[0], "1 of 2 holdout texts stand in the forget set too");
}

}  // namespace
}  // namespace palimpsest
