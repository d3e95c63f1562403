// A table of results that people and programs read: names and numbers with intervals, printed
// aligned, as Markdown, LaTeX, CSV or JSON, or shown on a page (page/page_json.h). It holds values,
// not text, so that every format shows the same content.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/stat/interval.h"

namespace palimpsest::report {

// kCsvSafe is CSV for spreadsheets: an apostrophe is put before names that they would evaluate as
// formulas.
enum class TableFormat { kTable, kMarkdown, kLatex, kCsv, kCsvSafe, kJson };

// "table", "markdown", "latex", "csv" or "json"; Error for anything else.
TableFormat table_format(const std::string& name);

struct ResultCell {
  // The name. For a number: the text that a page shows; empty: the page formats the value.
  std::string text = {};
  bool is_number = false;
  std::optional<double> value = {};  // nullopt: undefined; may be infinite
  std::optional<stat::Interval> interval = {};
  bool marked = false;  // differs significantly from the first row; shown as *
};

ResultCell name_cell(std::string text);
ResultCell number_cell(std::optional<double> value, std::optional<stat::Interval> interval = {},
                       bool marked = false);

struct ResultColumn {
  std::string name;
  std::string meaning = {};  // a page shows it on demand
  // Whether the values are shares in [0, 1], which a page draws as points with their intervals.
  // nullopt: they are if all values lie in [0, 1].
  std::optional<bool> is_share = {};
};

struct ResultTable {
  // For a page: the id of the table there (letters, digits, '-', '_', '=' and '.'), the title and
  // caption above it, and whether it comes after the charts and examples.
  std::string id = {};
  std::string title = {};
  std::string caption = {};
  bool is_detail = false;
  std::vector<ResultColumn> columns = {};          // the first one names the rows
  std::vector<std::vector<ResultCell>> rows = {};  // each as long as the columns
  // Empty, or one JSON object per row. Its members are added to the row's JSON and appear in no
  // other format.
  std::vector<std::string> json_members = {};

  bool empty() const { return rows.empty(); }
  std::vector<std::string> heading() const;  // the columns' names
  // The position of a column; nullopt if there is no column with this name.
  std::optional<size_t> column(std::string_view name) const;
};

// The first three formats are for people. They show four digits, "n/a" for undefined numbers and
// "inf" for infinite ones; a column whose cells are all the same name is kept. CSV and JSON have
// all digits. An undefined number is an empty cell in CSV and null in JSON; an infinite one is inf
// in CSV and "Infinity" in JSON. Intervals are separate columns NAME_low and NAME_high in CSV and a
// member NAME_interval in JSON. Marks are a separate column or member NAME_differs.
std::string format_table(const ResultTable& table, TableFormat format);

}  // namespace palimpsest::report
