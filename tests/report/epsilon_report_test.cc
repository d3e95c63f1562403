#include "palimpsest/report/epsilon_report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "palimpsest/stat/audit_epsilon.h"
#include "palimpsest/stat/one_run_audit.h"
#include "tests/report/score_rows.h"
#include "tests/support/expect_error.h"
#include "tests/support/threads_used.h"

namespace palimpsest::report {
namespace {

using Strings = std::vector<std::string>;

// Of any data.
const EpsilonReportOptions kAsked{.two_step = {}, .single_models = true};

AttackSummary summary_of(const AttackRows& rows) {
  return summarize_attack(rows, binary_classes(), all_metrics());
}

// Two generators, two attacks each; the second attack is the strong one.
std::vector<AttackSummary> four_summaries() {
  std::vector<AttackSummary> summaries;
  for (const char* generator : {"g1", "g2"}) {
    summaries.push_back(summary_of(normal_rows(1, 1000, 0, {generator, "weak"})));
    summaries.push_back(summary_of(normal_rows(2, 1000, 2, {generator, "strong"})));
  }
  return summaries;
}

TEST(EpsilonReportTest, UsesAsManyThreadsAsItMay) {
  std::vector<AttackSummary> summaries = four_summaries();
  summaries.push_back(summary_of(normal_rows(3, 1000, 1, {"g3", "weak"})));
  EpsilonReportOptions options = kAsked;
  std::vector<size_t> models;
  for (const int threads : {1, 3}) {
    options.threads = threads;
    EXPECT_EQ(
        threads_used([&] {
          models.push_back(
              epsilon_report(summaries, {"generator", "attack"}, options).threat_models.size());
        }),
        threads);
  }
  EXPECT_EQ(models, (std::vector<size_t>{3, 3}));
}

TEST(EpsilonReportTest, OneEstimatePerThreatModel) {
  const std::vector<AttackSummary> summaries = four_summaries();
  const EpsilonReport report = epsilon_report(summaries, {"generator", "attack"}, kAsked);
  EXPECT_EQ(report.columns, Strings{"generator"});
  ASSERT_EQ(report.threat_models.size(), 2U);
  EXPECT_EQ(report.threat_models[1].values, Strings{"g2"});
  EXPECT_EQ(report.threat_models[1].attack, "strong");
  const stat::AttackScores attacks[] = {{summaries[2].labels, summaries[2].scores_in_order},
                                        {summaries[3].labels, summaries[3].scores_in_order}};
  const auto expected = stat::two_step_epsilon(attacks, {.delta = 1e-5});
  for (size_t i = 0; i < 3; ++i) {
    const EpsilonEstimate& found = report.threat_models[1].estimates[i];
    EXPECT_EQ(found.low, expected->bounds[i].at_delta.low);
    EXPECT_EQ(found.high, expected->bounds[i].at_delta.high);
    EXPECT_EQ(found.low_raw, expected->bounds[i].epsilon.low);  // TAPAS', without δ
    EXPECT_LT(found.low, found.low_raw);
  }
}

TEST(EpsilonReportTest, TheOtherEstimatesAreOfTheRestAndSayWhatTheyAssume) {
  const std::vector<AttackSummary> summaries = four_summaries();
  const EpsilonReport report = epsilon_report(summaries, {"generator", "attack"}, kAsked);
  const stat::AttackScores attack{summaries[1].labels, summaries[1].scores_in_order};
  const stat::Confusion counts = stat::two_step_epsilon({&attack, 1}, {})->counts;
  std::set<std::string> methods;
  for (const EpsilonEstimate& estimate : report.threat_models[0].estimates) {
    methods.insert(estimate.method);
    EXPECT_GT(estimate.assumption.size(), 20U);
    ASSERT_TRUE(estimate.low);
    EXPECT_GE(*estimate.low, 0);
    expect_contains(estimate.assumption, "(δ = 1e-05)");
    EXPECT_GE(*estimate.high, *estimate.low);
    const stat::AuditOptions audit{.alpha = 1 - estimate.confidence, .delta = 1e-5};
    if (estimate.method == "clopper_pearson") {
      EXPECT_EQ(estimate.low, stat::clopper_pearson_epsilon(counts, audit));
    }
    if (estimate.method == "one_run") {
      const int64_t all = counts.positives() + counts.negatives();
      EXPECT_EQ(
          estimate.low,
          stat::one_run_epsilon({all, all, counts.true_positives + counts.true_negatives}, audit));
      expect_contains(estimate.assumption, "coin flip");
    }
  }
  EXPECT_EQ(methods, (std::set<std::string>{"two_step", "clopper_pearson", "bonferroni", "bayesian",
                                            "gaussian", "one_run", "one_run_abstaining",
                                            "one_run_gaussian"}));
  const EpsilonReport pure = epsilon_report(summaries, {"generator", "attack"},
                                            {.two_step = {}, .delta = 0, .single_models = true});
  for (const EpsilonEstimate& estimate : pure.threat_models[0].estimates)
    EXPECT_EQ(estimate.method.find("gaussian"), std::string::npos);
}

TEST(EpsilonReportTest, NoneOfASingleModelUnlessAskedFor) {
  const std::vector<AttackSummary> summaries = four_summaries();
  const EpsilonReport silent = epsilon_report(summaries, {"generator", "attack"}, {});
  EXPECT_TRUE(silent.threat_models.empty());
  EXPECT_TRUE(silent.notes.empty());  // nobody asked
  const EpsilonReport off = epsilon_report(summaries, {"generator", "attack"}, {.asked_for = true});
  EXPECT_TRUE(off.threat_models.empty());
  ASSERT_EQ(off.notes.size(), 1U);
  expect_contains(off.notes[0], "no epsilon for 2 of 2 threat models: no column target_id");
  expect_contains(off.notes[0], "--epsilon");
  // TAPAS' data name their target.
  const EpsilonReport target = epsilon_report(summaries, {"target_id", "attack"}, {});
  EXPECT_EQ(target.threat_models.size(), 2U);
  EXPECT_TRUE(target.notes.empty());
  std::vector<AttackSummary> nameless = summaries;
  for (AttackSummary& summary : nameless) summary.values[0] = "";
  EXPECT_TRUE(epsilon_report(nameless, {"target_id", "attack"}, {}).threat_models.empty());
}

TEST(EpsilonReportTest, SaysWhereThereIsNone) {
  AttackRows rows = normal_rows(1, 20, 0, {"g", "a"});
  rows.labels.assign(20, 1);
  const std::vector<AttackSummary> summaries = {summary_of(rows)};
  const EpsilonReport report = epsilon_report(summaries, {"generator", "attack"}, kAsked);
  EXPECT_TRUE(report.threat_models.empty());
  ASSERT_EQ(report.notes.size(), 1U);
  expect_contains(report.notes[0], "no epsilon for generator g: no attack has both classes");
}

TEST(EpsilonReportTest, PredictionsAloneGiveNone) {
  const AttackRows rows{.values = {}, .labels = {0, 1, 0, 1}, .predictions = {0, 1, 1, 1}};
  const std::vector<AttackSummary> summaries = {summary_of(rows)};
  const EpsilonReport report = epsilon_report(summaries, {}, kAsked);
  EXPECT_TRUE(report.threat_models.empty());
  EXPECT_EQ(report.notes, Strings{"no epsilon for 1 of 1 summaries: they have predictions and no "
                                  "scores"});
}

TEST(EpsilonReportTest, TheTableHasTapasColumnsFirst) {
  const ResultTable table =
      epsilon_table(epsilon_report(four_summaries(), {"generator", "attack"}, kAsked));
  EXPECT_EQ(table.heading(),
            (Strings{"confidence", "epsilon_low", "epsilon_high", "epsilon_low_raw", "delta",
                     "method", "generator", "attack", "threshold", "side", "assumption"}));
  EXPECT_EQ(table.rows.size(), 2U * 8 * 3);
  EXPECT_EQ(table.rows[0][7].text, "strong");
  for (const auto& row : table.rows) {
    EXPECT_EQ(row[4].value, 1e-5);
    EXPECT_FALSE(row.back().text.empty());
  }
}

TEST(EpsilonReportTest, RefusesOptionsOutOfRange) {
  const std::vector<AttackSummary> summaries = four_summaries();
  auto refused = [&](const EpsilonReportOptions& options) {
    return error_of([&] { epsilon_report(summaries, {"generator", "attack"}, options); });
  };
  EXPECT_FALSE(refused({.two_step = {}, .delta = 1}).empty());
  EXPECT_FALSE(refused({.two_step = {.validation_split = 0}}).empty());
  EXPECT_FALSE(refused({.two_step = {.confidence_levels = {1}}}).empty());
}

}  // namespace
}  // namespace palimpsest::report
