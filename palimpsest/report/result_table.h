// A table of results that people and programs read: names and numbers with intervals, printed
// aligned, as Markdown, LaTeX, CSV or JSON. It holds values, not text, so that no format loses
// anything of another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "palimpsest/stat/interval.h"

namespace palimpsest {

enum class TableFormat { kTable, kMarkdown, kLatex, kCsv, kJson };

// "table", "markdown", "latex", "csv" or "json"; Error for anything else.
TableFormat table_format(const std::string& name);

struct ResultCell {
  std::string text = {};  // of a name; unused in a number
  bool is_number = false;
  std::optional<double> value = {};  // nullopt: undefined; may be infinite
  std::optional<Interval> interval = {};
  bool marked = false;  // differs significantly from the first row; shown as *
};

ResultCell name_cell(std::string text);
ResultCell number_cell(std::optional<double> value, std::optional<Interval> interval = {},
                       bool marked = false);

struct ResultTable {
  std::vector<std::string> heading;
  std::vector<std::vector<ResultCell>> rows;  // each as long as the heading
  // Empty, or one JSON object per row whose members stand in the row's JSON, and nowhere else.
  std::vector<std::string> json_members = {};

  bool empty() const { return rows.empty(); }
};

// Text for people (the first three) shows four digits, "n/a" for what is undefined and "inf"; a
// column whose cells are all the same name is left as it is. CSV and JSON have all digits; an
// undefined number is an empty cell or null, an infinite one inf or "Infinity"; intervals are columns
// (members) of their own, NAME_low and NAME_high (NAME_interval), as are marks: NAME_differs.
std::string format_table(const ResultTable& table, TableFormat format);

}  // namespace palimpsest
