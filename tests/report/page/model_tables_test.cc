#include "palimpsest/report/internal/page/model_tables.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace palimpsest::report {
namespace {

RunTable table_of(size_t runs, const std::vector<std::string>& metrics) {
  RunTable table{.metrics = metrics};
  for (const std::string& metric : metrics)
    table.is_attack.push_back(metric.starts_with(kAttackPrefix));
  for (size_t r = 0; r < runs; ++r) {
    table.runs.push_back(fmt::format("m{}", r));
    table.answers.emplace_back();
    table.flags.emplace_back();
    table.cells.emplace_back();
    for (size_t m = 0; m < metrics.size(); ++m)
      table.cells.back().push_back({.value = 0.1 * static_cast<double>(m)});
  }
  return table;
}

std::vector<std::string> row_names(const ResultTable& table) {
  std::vector<std::string> names;
  for (const auto& row : table.rows)
    names.push_back(row[0].small.empty() ? row[0].text : row[0].small);
  return names;
}

const std::vector<std::string> kTofu = {
    "mia_loss",         "mia_zlib",        "forget_quality", "model_utility", "forget_Q_A_ROUGE",
    "retain_Q_A_ROUGE", "forget_Q_A_Prob", "ra_Q_A_Prob",    "privleak",      "exact_memorization"};

TEST(ModelTablesTest, SixHeadlineMetricsStandByTheirQuestions) {
  const std::vector<ResultTable> tables = model_tables(table_of(2, kTofu), "mia_zlib");
  const ResultTable& summary = tables[0];
  EXPECT_TRUE(summary.is_summary);
  EXPECT_EQ(row_names(summary),
            (std::vector<std::string>{"mia_zlib", "forget_quality", "forget_Q_A_ROUGE",
                                      "forget_Q_A_Prob", "model_utility", "retain_Q_A_ROUGE"}));
  EXPECT_EQ(
      summary.row_groups,
      (std::vector<std::string>{
          "Does it remember?", "Does it remember?", "Can it still answer what it was to forget?",
          "Can it still answer what it was to forget?", "Is it intact?", "Is it intact?"}));
  EXPECT_EQ(summary.rows[0][0].text, "Recognised by zlib (AUC)");
  EXPECT_EQ(summary.columns[1].name, "m0");
  EXPECT_EQ(summary.rows[0][1].scale, CellScale::kAuc);
  EXPECT_EQ(summary.rows[1][1].scale, CellScale::kNone);
}

TEST(ModelTablesTest, TheOthersAreFoldedByTheirQuestions) {
  const std::vector<ResultTable> tables = model_tables(table_of(2, kTofu), "mia_zlib");
  ASSERT_EQ(tables.size(), 3U);
  EXPECT_TRUE(tables[1].is_folded);
  EXPECT_EQ(tables[1].title, "Does it remember? 3 further metrics");
  EXPECT_EQ(row_names(tables[1]),
            (std::vector<std::string>{"privleak", "exact_memorization", "mia_loss"}));
  EXPECT_EQ(tables[2].title, "Is it intact? 1 further metric");
  EXPECT_EQ(row_names(tables[2]), std::vector<std::string>{"ra_Q_A_Prob"});
}

TEST(ModelTablesTest, NothingIsLostAndNothingIsEmpty) {
  RunTable table = table_of(3, kTofu);
  for (auto& row : table.cells) row[8].value.reset();  // privleak, of no run
  table.cells[0][3].value.reset();                     // model_utility, of one run
  std::vector<std::string> names;
  for (const ResultTable& one : model_tables(table, "mia_loss")) {
    for (const std::string& name : row_names(one)) names.push_back(name);
  }
  std::vector<std::string> expected = kTofu;
  std::erase(expected, "privleak");
  std::ranges::sort(names);
  std::ranges::sort(expected);
  EXPECT_EQ(names, expected);
}

TEST(ModelTablesTest, VerdictsComeFirst) {
  RunTable table = table_of(2, kTofu);
  table.answers[1] = attack::Answer{.verdict = attack::AnswerVerdict::kNotDecided};
  const ResultTable summary = model_tables(table, "mia_loss")[0];
  EXPECT_EQ(summary.rows[0][0].text, "Verdict of all attacks together");
  EXPECT_EQ(summary.rows[0][1].text, "–");
  EXPECT_EQ(summary.rows[0][2].text, "not decided");
  EXPECT_EQ(summary.rows.size(), kHeadlineMetrics + 1);
}

TEST(ModelTablesTest, ManyModelsAreRows) {
  std::vector<std::string> metrics = kTofu;
  for (int i = 0; i < 9; ++i) metrics.push_back(fmt::format("own_{}", i));
  const std::vector<ResultTable> tables = model_tables(table_of(8, metrics), "mia_loss");
  EXPECT_EQ(tables[0].rows.size(), 8U);
  EXPECT_EQ(tables[0].columns.size(), kHeadlineMetrics + 1);
  EXPECT_EQ(tables[0].columns[1].small, "mia_loss");
  std::vector<std::string> ids;
  for (const ResultTable& table : tables) {
    EXPECT_LE(table.columns.size(), kHeadlineMetrics + 1);
    ids.push_back(table.id);
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"models-table", "remembers-table", "intact-table",
                                           "other-table", "other-table-2"}));
}

}  // namespace
}  // namespace palimpsest::report
