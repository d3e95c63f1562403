// A table of results for people and programs. It can be printed with aligned columns, as Markdown,
// LaTeX, CSV or JSON, or shown on a page (page/page.h). It holds values and not text, so all
// formats show the same content.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/stat/interval.h"

namespace palimpsest::report {

// kCsvSafe is CSV for spreadsheets: an apostrophe is put before names that a spreadsheet would
// evaluate as formulas.
enum class TableFormat { kTable, kMarkdown, kLatex, kCsv, kCsvSafe, kJson };

// The format called "table", "markdown", "latex", "csv" or "json". Throws Error for any other name.
TableFormat table_format(const std::string& name);

// How a page draws a number beside its text.
enum class CellScale {
  kColumn,  // as its column says
  kNone,    // not at all
  kShare,   // as a point from 0 to 1
  kAuc      // as a point from 0 to 1 with a mark at 0.5, which means guessing
};

struct ResultCell {
  // For a name: the name. For a number: the text that a page shows; if empty, the page formats the
  // value.
  std::string text = {};
  bool is_number = false;
  std::optional<double> value = {};  // nullopt: undefined; may be infinite
  std::optional<stat::Interval> interval = {};
  bool marked = false;     // whether it differs significantly from the first row; shown as ✱
  std::string small = {};  // for a page: a second, smaller text below a name
  CellScale scale = CellScale::kColumn;
};

ResultCell name_cell(std::string text);
ResultCell number_cell(std::optional<double> value, std::optional<stat::Interval> interval = {},
                       bool marked = false);

struct ResultColumn {
  std::string name;
  std::string meaning = {};  // an explanation that a page shows on demand
  // Whether the values are shares in [0, 1], which a page draws as points with their intervals.
  // nullopt: yes, if all values are in [0, 1].
  std::optional<bool> is_share = {};
  bool is_auc = false;     // whether 0.5 means guessing, which a page marks
  std::string small = {};  // for a page: a second, smaller text below the name
};

struct ResultTable {
  // For a page: the id of the table (letters, digits, '-', '_', '=' and '.'), the title and caption
  // above it, and whether it comes after the charts and examples.
  std::string id = {};
  std::string title = {};
  std::string caption = {};
  bool is_detail = false;
  bool is_summary = false;  // for a page: whether it belongs to the first printed page
  bool is_folded = false;   // for a page: whether it is closed until a reader opens it
  // For a page: empty, or a heading for each row. A heading that changes is drawn above its row.
  std::vector<std::string> row_groups = {};
  std::vector<ResultColumn> columns = {};          // the first one names the rows
  std::vector<std::vector<ResultCell>> rows = {};  // each has one cell per column
  // Empty, or one JSON object per row. Its members are added to the JSON of the row and do not
  // appear in other formats.
  std::vector<std::string> json_members = {};

  std::vector<std::string> heading() const;  // the names of the columns
  // The position of a column; nullopt if there is no column with this name.
  std::optional<size_t> column(std::string_view name) const;
};

// The first three formats are for people. They show four digits (LaTeX: three decimals), numbers
// below 1e-3 in scientific notation, "n/a" for undefined numbers and "inf" for infinite ones. The
// LaTeX is for the package booktabs. CSV and JSON have all digits. An undefined number is an empty
// cell in CSV and null in JSON; an infinite one is inf in CSV and "Infinity" in JSON. Intervals are
// the separate columns NAME_low and NAME_high in CSV, and a member NAME_interval in JSON. Marks are
// a separate column or member NAME_differs. Columns are never left out, even if all of their cells
// are equal.
std::string format_table(const ResultTable& table, TableFormat format);

}  // namespace palimpsest::report
