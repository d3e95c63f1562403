#include "palimpsest/attack/mia.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "palimpsest/attack/internal/mia/form_clusters.h"
#include "palimpsest/attack/internal/mia/record_tests.h"
#include "palimpsest/stat/clustered_auc.h"
#include "palimpsest/stat/internal/family_permutation.h"
#include "tests/attack/score_sets.h"
#include "tests/support/expect_error.h"

namespace palimpsest::attack {
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
  // Clusters of one: DeLong's interval, with t in the place of z.
  EXPECT_NEAR(remembered.auc_ci->low, remembered.auc_ci_delong->low, 1e-3);
  EXPECT_GT(remembered.auc_ci->low, 0.6);
  const AttackOutcome forgotten = outcome_of(normal_set(1, 200, 0), normal_set(2, 200, 0));
  EXPECT_TRUE(forgotten.auc_ci->contains(0.5));
}

TEST(MiaTest, TruePositivesAreForgetExamples) {
  // Three holdout examples look like members; at 10% FPR they are the price of all forget examples.
  ScoreColumn holdout(30, 9.0);
  holdout[0] = holdout[1] = holdout[2] = 0;
  const MiaReport report =
      mia({.attacks = loss_only(), .forget = set_of({1, 1, 8}), .holdout = set_of(holdout)},
          {.fprs = {0.1, 0.01}});
  const auto& rates = report.outcomes[0].rates.tpr_at_fpr;
  ASSERT_TRUE(rates[0]);
  EXPECT_EQ(rates[0]->tpr, 1);
  EXPECT_EQ(rates[0]->false_positives, 3);
  EXPECT_FALSE(rates[1]);
  EXPECT_TRUE(has_note(report, "needs at least 300 holdout examples, and there are 30"));
}

TEST(MiaTest, AnAttackBelowOneHalfIsTurnedRound) {
  const AttackOutcome over = outcome_of(normal_set(1, 100, 3), normal_set(2, 100, 0));
  ASSERT_TRUE(over.reversed);
  ASSERT_TRUE(over.reversed->tpr_at_fpr[0] && over.rates.tpr_at_fpr[0]);
  EXPECT_GT(over.reversed->tpr_at_fpr[0]->tpr, 0.8);
  EXPECT_LT(over.rates.tpr_at_fpr[0]->tpr, 0.1);
  EXPECT_GT(*over.reversed->advantage, 0.7);
  EXPECT_GT(over.reversed->records.recognised.size(), 50U);
  EXPECT_FALSE(outcome_of(normal_set(1, 100, 0), normal_set(2, 100, 3)).reversed);
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

TEST(MiaTest, NamesCarryParametersThatAreNotTheDefault) {
  const AttackTable attacks =
      select_attacks(default_attack_table(), "loss,min_k,min_k:k=0.3", {{"k", 0.4}});
  TraceScores set = set_of({1, 2, 3});
  set.columns.resize(3, set.columns[0]);
  set.lacking.resize(3);
  const MiaReport report = mia({.attacks = attacks, .forget = set, .holdout = set}, {.fprs = {}});
  EXPECT_EQ(report.outcomes[0].title, "loss");
  EXPECT_EQ(report.outcomes[0].parameters, ParameterValues{});
  EXPECT_EQ(report.outcomes[1].title, "min_k (k=0.4)");
  EXPECT_EQ(report.outcomes[1].parameters.at(0), (std::pair<std::string, double>("k", 0.4)));
  EXPECT_EQ(report.outcomes[2].title, "min_k:k=0.3");
  EXPECT_EQ(report.outcomes[1].name, "min_k");
  EXPECT_EQ(report.outcomes[1].attack, "min_k");
  EXPECT_EQ(report.outcomes[2].name, "min_k:k=0.3");
  EXPECT_EQ(report.outcomes[2].attack, "min_k");
  EXPECT_EQ(report.outcomes[2].parameters.at(0).second, 0.3);
  for (const AttackOutcome& outcome : report.outcomes) {
    EXPECT_EQ(outcome.auc, auc_of(outcome)) << outcome.name;
    EXPECT_EQ(&outcome.forget.keys.list(), &report.forget.list());  // shared, not copied
    EXPECT_EQ(&outcome.holdout.keys.list(), &report.holdout.list());
  }
  // What each attack is, however often it was run.
  ASSERT_EQ(report.methods.size(), 2U);
  EXPECT_EQ(report.methods[1].attack, "min_k");
  EXPECT_EQ(report.methods[1].paper, attacks[1].paper);
}

TEST(MiaTest, RecordsAndThresholdsAreThere) {
  const TraceScores forget = normal_set(1, 50, 0);
  const TraceScores holdout = normal_set(2, 600, 5);
  const MiaReport report = mia({.attacks = loss_only(), .forget = forget, .holdout = holdout},
                               {.costs = {.false_positive = 2}});
  const AttackOutcome& outcome = report.outcomes[0];
  EXPECT_EQ(outcome.rates.records.recognised, test_records(outcome.columns(), 0.1).recognised);
  EXPECT_GT(outcome.rates.records.recognised.size(), 30U);
  ASSERT_TRUE(outcome.decision);
  EXPECT_GT(outcome.decision->tpr, 0.9);
  EXPECT_EQ(report.highest_auc, 0U);
  EXPECT_EQ(report.best_decision, 0U);
  EXPECT_EQ(report.costs.false_positive, 2);
}

TEST(MiaTest, PlanningCountsClusters) {
  const TraceScores set = normal_set(1, 400, 0);
  const auto examples = planned_detection(clusters_of({}, set, set));
  const auto authors = planned_detection(clusters_of({.size = 20}, set, set));
  ASSERT_TRUE(examples && authors);
  EXPECT_NEAR(*examples, 0.562, 0.005);
  EXPECT_GT(*authors, *examples + 0.02);
  const TraceScores one = set_of({1});
  EXPECT_FALSE(planned_detection(clusters_of({}, one, one)));
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
  const ExampleClusters clusters = clusters_of({}, forget, holdout);
  const stat::ClusteredScores a = to_clustered({forget.columns[0], holdout.columns[0]}, clusters);
  const stat::ClusteredScores b = to_clustered({reordered, holdout.columns[0]}, clusters);
  const auto expected = stat::auc_difference(*stat::clustered_auc(a.scores, a.clusters),
                                             *stat::clustered_auc(b.scores, b.clusters));
  EXPECT_EQ(test->paired.difference, stat::difference_interval(*expected, 0.95));
  EXPECT_GT(test->paired.difference.low, 0);
  EXPECT_TRUE(report.answer.against_baseline);

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
  EXPECT_FALSE(report.outcomes[0].against_baseline);  // nothing varies between equal scores
  EXPECT_TRUE(has_note(report, "the baseline's traces come from the audited model itself, 'm'"));
}

// As where the reference model is the baseline itself: its own reference scores are all 0. Such an
// attack must not keep the others from being compared.
TEST(MiaTest, AnAttackThatIsConstantUnderTheBaselineTakesNoPartInTheAnswer) {
  const auto with_second = [](TraceScores set, const ScoreColumn& column) {
    set.columns.push_back(column);
    set.lacking.emplace_back();
    return set;
  };
  AttackTable attacks = loss_only();
  attacks.push_back(attacks.front());
  attacks.back().name = "reference";
  const TraceScores other = normal_set(5, 100, 0);
  const ScoreColumn zeros(100, 0.0);
  const TraceScores forget = with_second(normal_set(1, 100, 0), other.columns[0]);
  const TraceScores holdout = with_second(normal_set(2, 100, 1), other.columns[0]);
  const MiaReport report = mia({.attacks = attacks,
                                .forget = forget,
                                .holdout = holdout,
                                .baseline = {{with_second(normal_set(3, 100, 1), zeros),
                                              with_second(normal_set(2, 100, 1), zeros)}}},
                               {});
  ASSERT_EQ(report.outcomes.size(), 2U);
  EXPECT_TRUE(report.outcomes[0].in_family);
  EXPECT_TRUE(report.outcomes[0].against_baseline);
  EXPECT_FALSE(report.outcomes[1].in_family);
  EXPECT_TRUE(report.answer.against_baseline);
  EXPECT_TRUE(has_note(report, "reference is not compared with the baseline and takes no part"));
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
  expect_contains(error_of([] { require_valid(MiaOptions{.validation_split = 1e-9}); }),
                  "the validation split 1e-09 is out of range (expected a number from 0.001 to");
  for (const double fpr : {1e-300, 0.0, -0.1, 1.5, std::nan("")}) {
    expect_contains(error_of([&] {
                      require_valid(MiaOptions{.fprs = {0.1, fpr}});
                    }),
                    "is out of range (expected a number from 1e-09 to 1)");
  }
  expect_contains(error_of([] { require_valid(MiaOptions{.costs = {-1, 1}}); }), "cost");
  expect_contains(error_of([] { require_valid(MiaOptions{.bootstrap = {.confidence = 1}}); }),
                  "confidence");
  expect_contains(error_of([] { require_valid(MiaOptions{.margin = 0.6}); }), "margin");
  expect_contains(error_of([] { require_valid(MiaOptions{.clusters = {.size = -3}}); }),
                  "size of a cluster");
}

}  // namespace
}  // namespace palimpsest::attack
