#include "palimpsest/report/page/mia_page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "palimpsest/attack/mia_files.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/chart/chart.h"
#include "palimpsest/report/internal/page/mia_parts.h"
#include "palimpsest/report/internal/page/page_json.h"
#include "palimpsest/report/page/page.h"
#include "tests/report/page/audit.h"
#include "tests/support/expect_error.h"

namespace palimpsest::report {
namespace {

// Loss of the forget set against 2 of the holdout set.
attack::MiaReport audit(double forget_loss, const std::string& attacks = "loss,min_k") {
  const TempFolder folder;
  return audit_of(write_traces(folder, {.name = "forget", .count = 60, .loss = forget_loss}),
                  write_traces(folder, {.name = "holdout", .count = 60, .loss = 2, .seed = 9}),
                  attacks);
}

TEST(MiaPageTest, TheHeadlineIsTheAnswer) {
  const attack::MiaReport report = audit(1);
  const PageData page = mia_page(report, {});
  EXPECT_EQ(page.headline.question, "Does m still remember what it was asked to forget?");
  expect_contains(page.headline.answer, "Remembered. Of 100 records to be forgotten");
  EXPECT_EQ(page.headline.statistics, report.answer.sentence);
  EXPECT_FALSE(page.limits.empty());
  EXPECT_EQ(report.answer.verdict, attack::AnswerVerdict::kRemembered);
  EXPECT_EQ(page.headline.tone, PageTone::kBad);
  const attack::AttackOutcome& outcome = report.outcomes[*report.leading_attack()];
  EXPECT_EQ(page.headline.value, outcome.auc);
  EXPECT_EQ(page.headline.interval, outcome.auc_ci_simultaneous);
  EXPECT_TRUE(std::ranges::any_of(page.key_numbers, [](const PageEntry& figure) {
    return figure.title.starts_with("smallest margin supported");
  }));
}

TEST(MiaPageTest, NothingIsSaidToBeDone) {
  for (double loss : {1.0, 2.0, 6.0}) {
    const PageData page = mia_page(audit(loss), {});
    const std::string text = page_to_json(page) + page.headline.answer;
    for (const char* words : {"nothing to do", "Nothing to do", "strongest attack", "effective ε",
                              "cannot tell them apart"})
      EXPECT_EQ(text.find(words), std::string::npos) << words;
  }
}

TEST(MiaPageTest, AVoidAuditDrawsNoAuc) {
  attack::MiaReport report = audit(1);
  report.answer = {.verdict = attack::AnswerVerdict::kVoid,
                   .sentence = "Void: this audit cannot answer."};
  const PageHeadline headline = mia_page(report, {}).headline;
  EXPECT_EQ(headline.answer, "Void. This audit cannot answer the question.");
  EXPECT_EQ(headline.statistics, "Void: this audit cannot answer.");
  EXPECT_FALSE(headline.value);
  EXPECT_EQ(mia_page(report, {}).examples.recognised, "");
}

TEST(MiaPageTest, AnAuditWithoutAnyScoreIsStillAPage) {
  attack::MiaReport report;
  const PageData empty = mia_page(report, {});
  expect_contains(empty.headline.answer, "Not known");
  expect_contains(page_to_html(empty), "Not known");

  const TempFolder folder;
  const auto none = folder.write(
      "none.jsonl", "{\"palimpsest_trace\": 1}\n{\"index\": \"0\", \"num_labels\": 0}\n");
  const PageData undefined = mia_page(audit_of(none, none, "loss"), {});
  EXPECT_FALSE(undefined.headline.answer.empty());
  EXPECT_FALSE(undefined.headline.value);
  EXPECT_EQ(undefined.examples.rows.size(), 2U);
  EXPECT_FALSE(page_to_html(undefined).empty());
}

TEST(MiaPageTest, TablesHaveARowForEachAttack) {
  const attack::MiaReport report = audit(1);
  const std::vector<ResultTable> tables = mia_tables(report, 0);
  ASSERT_GE(tables.size(), 2U);
  EXPECT_EQ(tables[0].id, "attacks-table");
  EXPECT_EQ(tables[0].rows[0][0].text, "loss");
  EXPECT_EQ(tables[0].rows[0][1].value, report.outcomes[0].auc);
  for (const ResultTable& table : tables) {
    for (const auto& row : table.rows) {
      EXPECT_EQ(row.size(), table.columns.size()) << table.id;
    }
  }
}

const ResultTable& table_called(const std::vector<ResultTable>& tables, const std::string& id) {
  return *std::ranges::find(tables, id, &ResultTable::id);
}

TEST(MiaPageTest, DifferencesFromTheBaselineAreMarkedByTheAdjustedInterval) {
  attack::MiaReport report = audit(1);
  const attack::PairedAuc paired{
      .auc_a = 0.9, .auc_b = 0.5, .difference = stat::Interval{0.1, 0.5}};
  report.outcomes[0].against_baseline =
      attack::BaselineDifference{paired, stat::Interval{0.05, 0.6}};
  report.outcomes[1].against_baseline =
      attack::BaselineDifference{paired, stat::Interval{-0.01, 0.6}};
  const std::vector<ResultTable> tables = mia_tables(report, 0);
  const ResultTable& table = table_called(tables, "baseline-table");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_TRUE(table.rows[0][3].marked);
  EXPECT_FALSE(table.rows[1][3].marked);
}

TEST(MiaPageTest, AuthorsAreRankedWithoutAVerdict) {
  attack::MiaReport report = audit(1);
  report.clusters.name = "author";
  report.answer.clusters.holdout = 12;
  report.outcomes[1].clusters = {{"Ada", 20, 0.9}, {"Bob", 10, 0.4}};
  const std::vector<ResultTable> tables = mia_tables(report, 1);
  const ResultTable& table = table_called(tables, "clusters-table");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0][0].text, "Ada");
  EXPECT_EQ(table.rows[0][2].value, 0.9);
  // 2 forget authors at a rate of 10%.
  expect_contains(table.caption,
                  "about 19 holdout clusters at a false discovery rate of 10%; there "
                  "are 12");
  expect_contains(table.caption, "without a verdict");
}

TEST(MiaPageTest, GroupsAreRankedWithinEachWayOfSplitting) {
  attack::MiaReport report = audit(1);
  report.groups = {{.by = "length", .name = "short"},
                   {.by = "length", .name = "long"},
                   {.by = "tokens", .name = "rare"},
                   {.by = "length", .name = "medium"}};
  report.outcomes[0].groups = {{.auc = 0.4}, {.auc = 0.9}, {.auc = 0.99}, {}};
  const std::vector<ResultTable> tables = mia_tables(report, 0);
  std::vector<std::string> names;
  for (const auto& row : table_called(tables, "groups-table").rows) names.push_back(row[0].text);
  EXPECT_EQ(names, (std::vector<std::string>{"length: long", "length: short", "length: medium",
                                             "tokens: rare"}));
}

TEST(MiaPageTest, AnAttackBelowHalfIsShownTurnedRound) {
  attack::MiaReport report = audit(6);
  ASSERT_TRUE(report.outcomes[0].reversed);
  const ResultTable table = mia_tables(report, 0)[0];
  EXPECT_EQ(table.rows[1][0].text, "loss, turned round");
  EXPECT_EQ(table.rows[1][1].text, "–");
}

TEST(MiaPageTest, ChartsHaveTitlesCaptionsAndTheirData) {
  const attack::MiaReport report = audit(1, "loss,min_k:k=sweep");
  std::vector<std::string> names;
  for (const Figure& figure : mia_charts(report, 0)) {
    names.push_back(figure.name);
    EXPECT_TRUE(parse_json(to_vega_lite(figure.chart), figure.name).is_object());
    EXPECT_FALSE(figure.chart.title.empty());
    EXPECT_FALSE(figure.caption.empty());
  }
  for (const char* name : {"attacks", "scores", "roc", "roc-low", "by-k"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
}

TEST(MiaPageTest, FlagsAreThoseOfTheReport) {
  attack::MiaReport report = audit(2);
  // 60 holdout examples cannot resolve a rate of 0.1%.
  ASSERT_FALSE(mia_page(report, {}).flags.empty());
  EXPECT_EQ(mia_page(report, {}).flags.back().title, "Too few holdout examples");
  report.flags = {{"collapse", false, "Possible collapse", "It may be broken."}};
  ASSERT_EQ(mia_page(report, {}).flags.size(), 1U);
  EXPECT_EQ(mia_page(report, {}).flags[0].title, "Possible collapse");
}

// Of the attacks that were run, else of the record; so the page of the file is the same.
TEST(MiaPageTest, TokensAreMarkedByTheKOfMinK) {
  const auto share = [](const attack::MiaReport& report, const std::vector<PageEntry>& run = {}) {
    const double memory = mia_page(report, {.run = run}).examples.lowest_share;
    const auto file = attack::mia_from_json(attack::mia_to_json(report), "mia.json");
    EXPECT_EQ(mia_page(file->report, {.run = run}).examples.lowest_share, memory);
    return memory;
  };
  const std::vector<PageEntry> record = {{"version", "1, 2"}, {"k, p", "0.3, 2"}};
  attack::MiaReport report = audit(1);
  EXPECT_EQ(share(report, record), 0.2);
  for (attack::AttackOutcome& outcome : report.outcomes) {
    if (outcome.name == "min_k") outcome.parameters = {{"k", 0.4}};
  }
  EXPECT_EQ(share(report), 0.4);
  EXPECT_EQ(share(audit(1, "loss,min_k:k=0.4,min_k")), 0.4);
  attack::MiaReport others = audit(1, "loss,surp");
  others.outcomes[0].parameters = {{"k", 0.4}};
  EXPECT_EQ(share(others), 0.2);
  EXPECT_EQ(share(others, record), 0.3);
  for (const char* text : {"0", "-1", "1e300", "nan", "a few", ""})
    EXPECT_EQ(share(others, {{"k", text}}), 0.2) << text;
}

TEST(MiaPageTest, AModelHasANameAndNoPath) {
  attack::MiaReport report = audit(1);
  report.model = "/data/runs/unlearned";
  EXPECT_EQ(mia_page(report, {}).title, "Audit of unlearned");
  EXPECT_EQ(mia_page(report, {}).headline.question,
            "Does unlearned still remember what it was asked to forget?");
  report.model_name = "Model A";
  report.title = "Case 17";
  EXPECT_EQ(mia_page(report, {}).title, "Case 17");
  EXPECT_EQ(mia_page(report, {}).headline.question,
            "Does Model A still remember what it was asked to forget?");
}

TEST(MiaPageTest, RecognisedRecordsAreNamed) {
  attack::MiaReport report = audit(1);
  attack::AttackOutcome& outcome = report.outcomes[*report.leading_attack()];
  ASSERT_FALSE(outcome.reversed);
  outcome.rates.records.recognised = {3, 7};
  const PageExamples examples = mia_page(report, {}).examples;
  expect_contains(examples.recognised, "2 of 60 forget records are recognised one by one by ");
  expect_contains(examples.recognised, report.forget[3] + ", " + report.forget[7]);
  int64_t marked = 0;
  for (const PageExample& row : examples.rows) {
    if (!row.is_recognised) continue;
    ++marked;
    EXPECT_EQ(row.set, PageSet::kForget);
    EXPECT_TRUE(row.index == report.forget[3] || row.index == report.forget[7]);
  }
  EXPECT_EQ(marked, 2);
  outcome.rates.records.recognised.clear();
  expect_contains(mia_page(report, {}).examples.recognised, "None of 60 forget records are");
}

TEST(MiaPageTest, ASweptAttackHasTheColourOfItsCurve) {
  const std::vector<Figure> figures = mia_charts(audit(1, "loss,min_k:k=sweep"), 0);
  const auto style_in = [&](const std::string& figure, const std::string& attack) {
    const auto found = std::ranges::find(figures, figure, &Figure::name);
    EXPECT_NE(found, figures.end());
    for (const ChartSeries& series : found->chart.series) {
      if (series.name.substr(0, series.name.find(':')) == attack) return series.style;
    }
    ADD_FAILURE() << attack << " is not in " << figure;
    return size_t{0};
  };
  EXPECT_EQ(style_in("roc", "min_k"), style_in("by-k", "min_k"));
  EXPECT_NE(style_in("roc", "min_k"), style_in("roc", "loss"));
}

TEST(MiaPageTest, NamesFromFilesStayText) {
  attack::MiaReport report = audit(1);
  report.model = "<script>alert(1)</script>";
  const std::string html = page_to_html(mia_page(report, {.run = {{"model", report.model}}}));
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
}

}  // namespace
}  // namespace palimpsest::report
