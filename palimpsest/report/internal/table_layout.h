// Which columns of a result table are shown, in which order and under which headings, and whether
// models are its rows or its columns. Each function returns a new table; no value changes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "palimpsest/report/result_table.h"

namespace palimpsest::report {

// A table as papers on a benchmark print it.
struct TablePreset {
  struct Column {
    std::string metric;   // "forget_quality"
    std::string heading;  // "Forget quality ↑"
  };

  std::string name;
  std::vector<Column> columns;
};

// "tofu" and "muse". An arrow in a heading says which values are better; → 0 means those near 0.
const std::vector<TablePreset>& table_presets();

// The first column and the named ones, in the order of the names. Throws Error for a name that no
// column has, and for one that is given twice; the message lists the columns.
ResultTable with_columns(const ResultTable& table, const std::vector<std::string>& names);

// The first column and those of the preset that the table has, under the preset's headings. Throws
// Error for an unknown preset, and if the table has none of its columns.
ResultTable with_preset(const ResultTable& table, const std::string& preset);

// One row per column and one column per row. The first column names the former columns. The rows'
// JSON members are left out.
ResultTable transposed(const ResultTable& table);

ResultTable without_intervals(ResultTable table);

// Whether some cell has an interval, or a mark.
bool has_intervals(const ResultTable& table);
bool has_marks(const ResultTable& table);

// The table for people in lines of at most `width` characters: columns that do not fit beside each
// other follow in further blocks, each with the columns that name the rows. A single column that is
// wider than that stays as it is.
std::string format_blocks(const ResultTable& table, size_t width);

// The number of characters in the longest line of a text.
size_t widest_line(const std::string& text);

}  // namespace palimpsest::report
