#include "palimpsest/report/page/mia_page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "palimpsest/base/json.h"
#include "palimpsest/report/page/mia_charts.h"
#include "palimpsest/report/page/mia_tables.h"
#include "palimpsest/report/page/page.h"
#include "tests/report/page/audit.h"
#include "tests/support/expect_error.h"

namespace palimpsest {
namespace {

// Loss of the forget set against 2 of the holdout set.
MiaReport audit(double forget_loss, const std::string& attacks = "loss,min_k") {
  const TempFolder folder;
  return audit_of(write_traces(folder, {.name = "forget", .count = 60, .loss = forget_loss}),
                  write_traces(folder, {.name = "holdout", .count = 60, .loss = 2, .seed = 9}),
                  attacks);
}

TEST(MiaPageTest, TheHeadlineAnswersWithNumberAndInterval) {
  const MiaReport report = audit(1);
  const PageHeadline headline = mia_page(report, {}).headline;
  const AttackOutcome& outcome = report.outcomes[*strongest_attack(report)];
  EXPECT_EQ(headline.question, "Does m still recognise the forget set?");
  expect_contains(headline.answer, "Yes");
  expect_contains(headline.answer, fmt::format("AUC {:.3f}", *outcome.auc));
  expect_contains(headline.answer,
                  fmt::format("{:.3f}\u00A0…\u00A0{:.3f}", outcome.auc_ci_delong->low,
                              outcome.auc_ci_delong->high));
  EXPECT_EQ(headline.value, outcome.auc);
  EXPECT_EQ(headline.tone, PageTone::kBad);
  EXPECT_FALSE(headline.action.empty());
}

TEST(MiaPageTest, OverForgettingIsNotCalledForgetting) {
  const PageHeadline headline = mia_page(audit(6), {}).headline;
  expect_contains(headline.answer, "Over-forgotten");
  EXPECT_EQ(headline.tone, PageTone::kBad);
}

TEST(MiaPageTest, TheStrongestAttackIsTheFarthestFromHalf) {
  MiaReport report;
  EXPECT_EQ(strongest_attack(report), std::nullopt);
  report.outcomes.resize(3);
  report.outcomes[0].auc = 0.7;
  report.outcomes[1].auc = 0.1;
  EXPECT_EQ(strongest_attack(report), 1U);
}

TEST(MiaPageTest, AnAuditWithoutAnyScoreIsStillAPage) {
  MiaReport report;
  const PageData empty = mia_page(report, {});
  expect_contains(empty.headline.answer, "Not known");
  expect_contains(page_to_html(empty), "Not known");

  const TempFolder folder;
  const auto none = folder.write(
      "none.jsonl", "{\"palimpsest_trace\": 1}\n{\"index\": \"0\", \"num_labels\": 0}\n");
  const PageData undefined = mia_page(audit_of(none, none, "loss"), {});
  expect_contains(undefined.headline.answer, "Not known");
  EXPECT_EQ(undefined.examples.rows.size(), 2U);
  EXPECT_FALSE(page_to_html(undefined).empty());
}

TEST(MiaPageTest, TablesHaveARowForEachAttack) {
  const MiaReport report = audit(1);
  const std::vector<PageTable> tables = mia_tables(report, 0);
  ASSERT_GE(tables.size(), 2U);
  EXPECT_EQ(tables[0].id, "attacks-table");
  EXPECT_EQ(tables[0].rows[0].name, "loss");
  EXPECT_EQ(tables[0].rows[0].cells[0].value, report.outcomes[0].auc);
  for (const PageTable& table : tables) {
    for (const PageTable::Row& row : table.rows) {
      EXPECT_EQ(row.cells.size(), table.columns.size()) << table.id;
    }
  }
}

TEST(MiaPageTest, SignificantDifferencesFromTheBaselineAreMarked) {
  MiaReport report = audit(1);
  report.outcomes[0].against_baseline =
      DelongTest{.auc_a = 0.9, .auc_b = 0.5, .difference = Interval{0.3, 0.5}, .p_value = 0.001};
  report.outcomes[1].against_baseline =
      DelongTest{.auc_a = 0.6, .auc_b = 0.5, .difference = Interval{0, 0.2}, .p_value = 0.06};
  const std::vector<PageTable> tables = mia_tables(report, 0);
  const auto table = std::find_if(tables.begin(), tables.end(),
                                  [](const PageTable& t) { return t.id == "baseline-table"; });
  ASSERT_NE(table, tables.end());
  EXPECT_TRUE(table->rows[0].cells[2].is_significant);
  EXPECT_FALSE(table->rows[1].cells[2].is_significant);
  EXPECT_EQ(table->rows[0].cells[3].text, "0.0020");  // twice, for two attacks
}

TEST(MiaPageTest, ChartsAreSpecificationsWithTheirData) {
  const MiaReport report = audit(1, "loss,min_k:k=sweep");
  std::vector<std::string> names;
  for (const Figure& figure : mia_charts(report, 0)) {
    names.push_back(figure.name);
    EXPECT_TRUE(parse_json(figure.spec, figure.name).is_object());
    EXPECT_FALSE(figure.title.empty());
    EXPECT_FALSE(figure.caption.empty());
  }
  for (const char* name : {"attacks", "scores", "roc", "roc-low", "by-k"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
}

TEST(MiaPageTest, FlagsAreRaisedFromTheReport) {
  const PageData page = mia_page(audit(2), {.forget_accuracy = 0.9, .retain_accuracy = 0.1});
  // 60 holdout examples cannot resolve a rate of 0.1%.
  ASSERT_FALSE(page.flags.empty());
  EXPECT_EQ(page.flags.back().title, "Too few holdout examples");
}

TEST(MiaPageTest, NamesFromFilesStayText) {
  MiaReport report = audit(1);
  report.model = "<script>alert(1)</script>";
  const std::string html = page_to_html(mia_page(report, {.run = {{"model", report.model}}}));
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
}

}  // namespace
}  // namespace palimpsest
