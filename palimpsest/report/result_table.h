// A table of results that people and programs read: names and numbers with intervals, printed
// aligned, as Markdown, LaTeX, CSV or JSON, or shown on a page (page/page_json.h). It holds values, not
// text, so that no format loses anything of another.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/stat/interval.h"

namespace palimpsest {

enum class TableFormat { kTable, kMarkdown, kLatex, kCsv, kJson };

// "table", "markdown", "latex", "csv" or "json"; Error for anything else.
TableFormat table_format(const std::string& name);

struct ResultCell {
  std::string text = {};  // of a name; of a number how a page shows it, empty: as the page does
  bool is_number = false;
  std::optional<double> value = {};  // nullopt: undefined; may be infinite
  std::optional<Interval> interval = {};
  bool marked = false;  // differs significantly from the first row; shown as *
};

ResultCell name_cell(std::string text);
ResultCell number_cell(std::optional<double> value, std::optional<Interval> interval = {},
                       bool marked = false);

struct ResultColumn {
  std::string name;
  std::string meaning = {};  // a page shows it on demand
  // A page draws values in [0, 1] as points with their intervals; nullopt: where all of them are.
  std::optional<bool> is_share = {};
};

struct ResultTable {
  // On a page: its place there (letters, digits, '-', '_', '=' and '.'), what stands above it, and
  // whether it stands after charts and examples.
  std::string id = {};
  std::string title = {};
  std::string caption = {};
  bool is_detail = false;
  std::vector<ResultColumn> columns = {};          // the first one names the rows
  std::vector<std::vector<ResultCell>> rows = {};  // each as long as the columns
  // Empty, or one JSON object per row whose members stand in the row's JSON, and nowhere else.
  std::vector<std::string> json_members = {};

  bool empty() const { return rows.empty(); }
  std::vector<std::string> heading() const;  // the columns' names
  // The number of a column; nullopt where there is none of that name.
  std::optional<size_t> column(std::string_view name) const;
};

// Text for people (the first three) shows four digits, "n/a" for what is undefined and "inf"; a
// column whose cells are all the same name is left as it is. CSV and JSON have all digits; an
// undefined number is an empty cell or null, an infinite one inf or "Infinity"; intervals are columns
// (members) of their own, NAME_low and NAME_high (NAME_interval), as are marks: NAME_differs.
std::string format_table(const ResultTable& table, TableFormat format);

}  // namespace palimpsest
