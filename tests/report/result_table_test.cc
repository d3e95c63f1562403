#include "palimpsest/report/result_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "palimpsest/base/internal/json.h"
#include "tests/support/expect_error.h"

namespace palimpsest::report {
namespace {

constexpr double kInfiniteCell = std::numeric_limits<double>::infinity();

ResultTable small_table() {
  return {.columns = {{"model"}, {"auc"}, {"epsilon"}},
          .rows = {
              {name_cell("a_b"), number_cell(0.123456789, stat::Interval{0.1, 0.25}),
               number_cell(kInfiniteCell)},
              {name_cell("c|d"), number_cell(0.5, std::nullopt, true), number_cell(std::nullopt)}}};
}

TEST(ResultTableTest, Aligned) {
  EXPECT_EQ(format_table(small_table(), TableFormat::kTable),
            "model                     auc  epsilon\n"
            "-----  ----------------------  -------\n"
            "a_b    0.1235 (0.100 … 0.250)      inf\n"
            "c|d                      0.5✱      n/a\n");
}

TEST(ResultTableTest, Markdown) {
  EXPECT_EQ(format_table(small_table(), TableFormat::kMarkdown),
            "| model | auc | epsilon |\n"
            "|---|---:|---:|\n"
            "| a\\_b | 0.1235 (0.100 … 0.250) | inf |\n"
            "| c\\|d | 0.5✱ | n/a |\n");
}

TEST(ResultTableTest, Latex) {
  EXPECT_EQ(format_table(small_table(), TableFormat::kLatex),
            "% needs \\usepackage{booktabs}\n"
            "\\begin{tabular}{lrr}\n\\toprule\n"
            "model & auc & epsilon \\\\\n\\midrule\n"
            "a\\_b & $0.123$ [$0.100$, $0.250$] & $\\infty$ \\\\\n"
            "c\\textbar{}d & $0.500$$^{*}$ & n/a \\\\\n"
            "\\bottomrule\n\\end{tabular}\n");
}

// A number that is not 0 must not look like 0.
TEST(ResultTableTest, SmallNumbersAreScientific) {
  const ResultTable table{
      .columns = {{"model"}, {"Forget quality ↑"}},
      .rows = {{name_cell("a"), number_cell(4.3e-8)},
               {name_cell("b"), number_cell(-0.00052, stat::Interval{-0.001, 1e-5})},
               {name_cell("c"), number_cell(0)}}};
  EXPECT_EQ(format_table(table, TableFormat::kTable),
            "model           Forget quality ↑\n"
            "-----  -------------------------\n"
            "a                        4.3e-08\n"
            "b      -5.2e-04 (-0.001 … 1e-05)\n"
            "c                              0\n");
  const std::string latex = format_table(table, TableFormat::kLatex);
  expect_contains(latex, "Forget quality $\\uparrow$");
  expect_contains(latex, "a & $4.3 \\times 10^{-8}$");
  expect_contains(latex, "c & $0.000$");
  expect_contains(format_table(table, TableFormat::kCsv), "a,4.3e-08");
}

TEST(ResultTableTest, CsvHasAllDigitsAndColumnsForIntervalsAndMarks) {
  EXPECT_EQ(format_table(small_table(), TableFormat::kCsv),
            "model,auc,auc_low,auc_high,auc_differs,epsilon\n"
            "a_b,0.123456789,0.1,0.25,0,inf\n"
            "c|d,0.5,,,1,\n");
}

TEST(ResultTableTest, JsonIsValid) {
  const Json rows = parse_json(format_table(small_table(), TableFormat::kJson), "table");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["auc"], 0.123456789);
  EXPECT_EQ(rows[0]["auc_interval"], Json::array({0.1, 0.25}));
  EXPECT_EQ(rows[0]["epsilon"], "Infinity");
  EXPECT_EQ(rows[1]["auc_differs"], true);
  EXPECT_TRUE(rows[1]["epsilon"].is_null());
}

TEST(ResultTableTest, FurtherMembersStandInJsonAlone) {
  ResultTable table = small_table();
  table.json_members = {R"({"answer": {"verdict": "void"}})", R"({"answer": null})"};
  const Json rows = parse_json(format_table(table, TableFormat::kJson), "table");
  EXPECT_EQ(rows[0]["answer"]["verdict"], "void");
  EXPECT_TRUE(rows[1]["answer"].is_null());
  EXPECT_EQ(format_table(table, TableFormat::kCsv), format_table(small_table(), TableFormat::kCsv));
}

TEST(ResultTableTest, TextFromDataStaysText) {
  const ResultTable table{.columns = {{"name"}},
                          .rows = {{name_cell("<b>&\\ \x1B[31m\n$x^2$ ~{}%#\",")}}};
  const std::string aligned = format_table(table, TableFormat::kTable);
  EXPECT_EQ(aligned.find('\x1B'), std::string::npos);
  EXPECT_EQ(std::count(aligned.begin(), aligned.end(), '\n'), 3);
  expect_contains(format_table(table, TableFormat::kMarkdown), "&lt;b>&amp;\\\\  \\[31m $x^2$");
  expect_contains(format_table(table, TableFormat::kLatex),
                  "\\textless{}b\\textgreater{}\\&\\textbackslash{}  [31m "
                  "\\$x\\textasciicircum{}2\\$ \\textasciitilde{}\\{\\}\\%\\#\\symbol{34},");
  expect_contains(format_table(table, TableFormat::kCsv), "#\"\",\"\n");
}

TEST(ResultTableTest, NamesThatASpreadsheetWouldCompute) {
  const ResultTable table{.columns = {{"@name"}, {"value"}},
                          .rows = {{name_cell("=1+1"), number_cell(-0.5)},
                                   {name_cell("-7"), number_cell(std::nullopt)},
                                   {name_cell("+a,b"), number_cell(1)}}};
  EXPECT_EQ(format_table(table, TableFormat::kCsv), "@name,value\n=1+1,-0.5\n-7,\n\"+a,b\",1\n");
  EXPECT_EQ(format_table(table, TableFormat::kCsvSafe),
            "'@name,value\n'=1+1,-0.5\n-7,\n\"'+a,b\",1\n");
}

// A name must not show as another one.
TEST(ResultTableTest, DirectionsAreVisibleInTablesForPeople) {
  const ResultTable table{.columns = {{"a\u202Eb"}}, .rows = {{name_cell("x\u2028|y")}}};
  EXPECT_EQ(format_table(table, TableFormat::kTable), "a\\u202eb\n---------\nx\\u2028|y\n");
  expect_contains(format_table(table, TableFormat::kMarkdown), "| x\\\\u2028\\|y |");
  expect_contains(format_table(table, TableFormat::kLatex), "x\\textbackslash{}u2028\\textbar{}y");
  expect_contains(format_table(table, TableFormat::kCsv), "x\u2028|y");
}

TEST(ResultTableTest, FormatsAreChosenByName) {
  EXPECT_EQ(table_format("latex"), TableFormat::kLatex);
  EXPECT_EQ(error_of([] { table_format("html"); }),
            "there is no format 'html' (expected table, markdown, latex, csv or json)");
}

TEST(ResultTableTest, ATableWithoutRowsHasAHeading) {
  const ResultTable table{.columns = {{"model"}, {"auc"}}};
  EXPECT_EQ(format_table(table, TableFormat::kCsv), "model,auc\n");
  EXPECT_EQ(format_table(table, TableFormat::kJson), "[]\n");
}

}  // namespace
}  // namespace palimpsest::report
