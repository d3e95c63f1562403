#include "palimpsest/attack/mia.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "palimpsest/stat/delong.h"
#include "tests/attack/score_sets.h"
#include "tests/support/expect_error.h"

namespace palimpsest {
namespace {

const AttackTable& loss_only() {
  static const AttackTable table = select_attacks(default_attack_table(), "loss");
  return table;
}

bool has_note(const MiaReport& report, const std::string& part) {
  return std::any_of(report.notes.begin(), report.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
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
  // Three holdout examples look like members; at 10% FPR they are the price of all forget examples.
  std::vector<std::optional<double>> holdout(30, 9.0);
  for (size_t i : {0, 1, 2}) holdout[i] = 0;
  const MiaReport report =
      mia({.attacks = loss_only(), .forget = set_of({1, 1, 8}), .holdout = set_of(holdout)},
          {.fprs = {0.1, 0.01}});
  ASSERT_TRUE(report.outcomes[0].tpr_at_fpr[0]);
  EXPECT_EQ(report.outcomes[0].tpr_at_fpr[0]->tpr, 1);
  EXPECT_EQ(report.outcomes[0].tpr_at_fpr[0]->false_positives, 3);
  EXPECT_FALSE(report.outcomes[0].tpr_at_fpr[1]);
  EXPECT_TRUE(has_note(report, "needs at least 300 holdout examples, there are 30"));
}

TEST(MiaTest, UndefinedScoresAreLeftOutAndCounted) {
  const MiaReport report = mia(
      {.attacks = loss_only(), .forget = set_of({1, std::nullopt, 2}), .holdout = set_of({3, 4})},
      {.fprs = {}});
  EXPECT_EQ(report.outcomes[0].forget.undefined, 1);
  EXPECT_EQ(report.outcomes[0].forget.mean, 1.5);
  EXPECT_EQ(report.outcomes[0].auc, 1);
  EXPECT_TRUE(has_note(report, "1 forget and 0 holdout examples have no labelled token"));
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

TEST(MiaTest, AttacksLeftOutForOneReasonAreNamedTogether) {
  const AttackTable attacks = select_attacks(default_attack_table(), "loss,min_k,zlib");
  TraceScores forget = set_of({1, 2});
  forget.columns.resize(3);
  forget.lacking = {"", "there is nothing", "there is nothing"};
  TraceScores holdout = forget;
  const MiaReport report = mia({.attacks = attacks, .forget = forget, .holdout = holdout}, {});
  EXPECT_EQ(report.outcomes.size(), 1U);
  EXPECT_TRUE(has_note(report, "min_k, zlib are left out: there is nothing"));
}

TEST(MiaTest, RefusesTracesOfDifferentModels) {
  expect_contains(error_of([] {
                    outcome_of(set_of({1, 2}, "a"), set_of({1, 2}, "b"));
                  }),
                  "different models");
  EXPECT_NO_THROW(outcome_of(set_of({1, 2}, "a"), set_of({1, 2}, "")));
}

TEST(MiaTest, CountsTextsThatStandInBothSets) {
  const TraceScores forget = with_texts(set_of({1, 2, 3}), {"a", "b"});
  const TraceScores holdout = with_texts(set_of({3, 4}), {"b", "c"});
  const MiaReport report =
      mia({.attacks = loss_only(), .forget = forget, .holdout = holdout}, {.fprs = {}});
  EXPECT_EQ(report.shared_texts, 1);
  EXPECT_TRUE(has_note(report, "1 of 2 holdout texts stand in the forget set too"));
}

TEST(MiaTest, TheVerdictFollowsTheDelongInterval) {
  const AttackOutcome remembered = outcome_of(normal_set(1, 200, 0), normal_set(2, 200, 1));
  ASSERT_TRUE(remembered.verdict);
  EXPECT_EQ(*remembered.verdict, verdict_of(*remembered.auc, *remembered.auc_ci_delong));
  EXPECT_EQ(remembered.verdict->direction, VerdictDirection::kRemembered);
  EXPECT_FALSE(outcome_of(set_of({std::nullopt}), set_of({3, 4})).verdict);
}

TEST(MiaTest, AFewExamplesAreNotProofOfForgetting) {
  const TraceScores set = set_of({1, 2, 3, 4, 5});
  const MiaReport report = mia({.attacks = loss_only(), .forget = set, .holdout = set}, {});
  EXPECT_EQ(report.outcomes[0].verdict->level, VerdictLevel::kIndistinguishable);
  EXPECT_TRUE(has_note(report, "loss: indistinguishable, but so few examples do not exclude"));
  const TraceScores many = normal_set(1, 2000, 0);
  EXPECT_FALSE(has_note(mia({.attacks = loss_only(), .forget = many, .holdout = many}, {}),
                        "indistinguishable"));
}

TEST(MiaTest, RecordsThresholdsAndPowerAreThere) {
  const TraceScores forget = normal_set(1, 50, 0);
  const TraceScores holdout = normal_set(2, 600, 5);
  const MiaReport report = mia({.attacks = loss_only(), .forget = forget, .holdout = holdout},
                               {.costs = {.false_positive = 2}});
  const AttackOutcome& outcome = report.outcomes[0];
  EXPECT_EQ(outcome.records.recognised, test_records(outcome.columns(), 0.1).recognised);
  EXPECT_GT(outcome.records.recognised.size(), 30U);
  ASSERT_TRUE(outcome.decision);
  EXPECT_GT(outcome.decision->tpr, 0.9);
  EXPECT_EQ(report.highest_auc, 0U);
  EXPECT_EQ(report.best_decision, 0U);
  EXPECT_EQ(report.costs.false_positive, 2);
  ASSERT_TRUE(report.power.smallest_auc);
  EXPECT_EQ(*report.power.smallest_auc, *mia_power(50, 600).smallest_auc);
  EXPECT_EQ(report.power.examples_for_example_auc, 522);
}

TEST(MiaTest, TheBaselineIsComparedExampleByExample) {
  const TraceScores forget = normal_set(1, 100, 0);
  const TraceScores holdout = normal_set(2, 100, 1);
  // The baseline has the examples in another order, and does not know the forget set.
  TraceScores baseline_forget = normal_set(3, 100, 1);
  std::reverse(baseline_forget.examples.begin(), baseline_forget.examples.end());
  baseline_forget.header.model = "retrained";
  TraceScores baseline_holdout = holdout;
  baseline_holdout.header.model = "retrained";
  const MiaReport report = mia({.attacks = loss_only(),
                                .forget = forget,
                                .holdout = holdout,
                                .baseline = {{baseline_forget, baseline_holdout}}},
                               {});
  EXPECT_EQ(report.baseline_model, "retrained");
  const auto& test = report.outcomes[0].against_baseline;
  ASSERT_TRUE(test);
  ScoreColumn reordered = baseline_forget.columns[0];
  std::reverse(reordered.begin(), reordered.end());
  const auto expected =
      compare({forget.columns[0], holdout.columns[0]}, {reordered, holdout.columns[0]}, 0.95);
  EXPECT_EQ(test->difference, expected->difference);
  EXPECT_GT(test->difference.low, 0);

  TraceScores too_few = set_of({1, 2});
  too_few.header.model = "retrained";
  expect_contains(error_of([&] {
                    mia({.attacks = loss_only(),
                         .forget = forget,
                         .holdout = holdout,
                         .baseline = {{too_few, baseline_holdout}}},
                        {});
                  }),
                  "the baseline's forget traces lack the example '2'");
}

TEST(MiaTest, ABaselineThatIsTheModelItselfIsSaid) {
  const TraceScores forget = set_of({1, 2});
  const TraceScores holdout = set_of({3, 4});
  const MiaReport report = mia({.attacks = loss_only(),
                                .forget = forget,
                                .holdout = holdout,
                                .baseline = {{forget, holdout}}},
                               {});
  EXPECT_EQ(report.outcomes[0].against_baseline->p_value, 1);
  EXPECT_TRUE(has_note(report, "the baseline's traces come from the audited model itself, 'm'"));
}

TEST(MiaTest, SaysLoudlyWhenTheTextsAloneTellTheSetsApart) {
  TraceScores forget = normal_set(1, 60, 0);
  TraceScores holdout = normal_set(2, 60, 0);
  Random random(5);
  for (size_t i = 0; i < 60; ++i) {
    forget.facts[i].text = random_text(random, 10) + " once upon a time";
    holdout.facts[i].text = random_text(random, 10);
  }
  const MiaReport report = mia({.attacks = loss_only(), .forget = forget, .holdout = holdout}, {});
  ASSERT_TRUE(report.blind);
  EXPECT_TRUE(report.blind->separates());
  EXPECT_TRUE(report.notes.front().starts_with("THE TEXTS ALONE TELL THE SETS APART"));
  EXPECT_FALSE(
      mia({.attacks = loss_only(), .forget = forget, .holdout = holdout}, {.blind_baseline = false})
          .blind);
  EXPECT_TRUE(
      has_note(mia({.attacks = loss_only(), .forget = set_of({1}), .holdout = set_of({2})}, {}),
               "no blind baseline: it needs at least 20"));
}

TEST(MiaTest, GroupsHaveAnOutcomeForEveryAttack) {
  TraceScores forget = normal_set(1, 40, 0);
  TraceScores holdout = normal_set(2, 40, 1);
  for (size_t i = 0; i < 40; ++i) {
    forget.facts[i].groups["kind"] = i < 20 ? "first" : "second";
    holdout.facts[i].groups["kind"] = i < 35 ? "first" : "second";
  }
  const MiaReport report =
      mia({.attacks = loss_only(), .forget = forget, .holdout = holdout}, {.group_keys = {"kind"}});
  ASSERT_EQ(report.groups.size(), 2U);
  ASSERT_EQ(report.outcomes[0].groups.size(), 2U);
  EXPECT_TRUE(report.outcomes[0].groups[0].auc);
  EXPECT_FALSE(report.outcomes[0].groups[1].auc);
  EXPECT_TRUE(has_note(report, "fewer than 10 examples of either set: kind second"));
}

TEST(MiaTest, RefusesOptionsOutOfRangeBeforeAnyWork) {
  expect_contains(error_of([] { require_valid(MiaOptions{.false_discovery_rate = 0}); }),
                  "false discovery rate");
  expect_contains(error_of([] { require_valid(MiaOptions{.validation_split = 1}); }), "split");
  expect_contains(error_of([] { require_valid(MiaOptions{.costs = {-1, 1}}); }), "cost");
  expect_contains(error_of([] { require_valid(MiaOptions{.bootstrap = {.confidence = 1}}); }),
                  "confidence");
}

}  // namespace
}  // namespace palimpsest
