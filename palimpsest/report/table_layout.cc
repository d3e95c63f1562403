#include "palimpsest/report/internal/table_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/table.h"

namespace palimpsest::report {
namespace {

// The columns in this order; the first one, which names the rows, is always among them.
ResultTable with_positions(const ResultTable& table, const std::vector<size_t>& positions) {
  ResultTable result = table;
  result.columns.clear();
  for (const size_t c : positions) result.columns.push_back(table.columns[c]);
  for (size_t r = 0; r < table.rows.size(); ++r) {
    result.rows[r].clear();
    for (const size_t c : positions) result.rows[r].push_back(table.rows[r][c]);
  }
  return result;
}

// The columns that say which row it is: the first one, and those after it without numbers.
std::vector<size_t> leading_names(const ResultTable& table) {
  std::vector<size_t> names = {0};
  for (size_t c = 1; c + 1 < table.columns.size(); ++c) {
    if (std::ranges::any_of(table.rows, [&](const auto& row) { return row[c].is_number; })) break;
    names.push_back(c);
  }
  return names;
}

bool any_cell_of(const ResultTable& table, bool (*holds)(const ResultCell&)) {
  return std::ranges::any_of(table.rows, [&](const std::vector<ResultCell>& row) {
    return std::ranges::any_of(row, holds);
  });
}

}  // namespace

const std::vector<TablePreset>& table_presets() {
  static const std::vector<TablePreset> presets = {
      {"tofu",
       {{"forget_quality", "Forget quality ↑"},
        {"model_utility", "Model utility ↑"},
        {"forget_Q_A_ROUGE", "Forget ROUGE ↓"},
        {"forget_Q_A_Prob", "Forget Prob. ↓"},
        {"forget_Truth_Ratio", "Forget truth ratio ↑"},
        {"extraction_strength", "Extraction strength ↓"},
        {"privleak", "PrivLeak → 0"}}},
      {"muse",
       {{"forget_verbmem_ROUGE", "VerbMem forget ↓"},
        {"forget_knowmem_ROUGE", "KnowMem forget ↓"},
        {"privleak", "PrivLeak → 0"},
        {"retain_knowmem_ROUGE", "KnowMem retain ↑"}}},
  };
  return presets;
}

ResultTable with_columns(const ResultTable& table, const std::vector<std::string>& names) {
  std::vector<size_t> positions = {0};
  for (const std::string& name : names) {
    const std::optional<size_t> found = table.column(name);
    if (!found || *found == 0) {
      std::vector<std::string> known = table.heading();
      known.erase(known.begin());
      throw Error({.what = fmt::format("the table has no column '{}'", name),
                   .expected = fmt::format("some of {}", fmt::join(known, ", "))});
    }
    if (std::ranges::find(positions, *found) != positions.end())
      throw Error({.what = fmt::format("the column '{}' is named twice", name)});
    positions.push_back(*found);
  }
  return with_positions(table, positions);
}

ResultTable with_preset(const ResultTable& table, const std::string& preset) {
  const auto found = std::ranges::find(table_presets(), preset, &TablePreset::name);
  if (found == table_presets().end()) {
    std::vector<std::string> names;
    for (const TablePreset& one : table_presets()) names.push_back(one.name);
    throw Error({.what = fmt::format("there is no preset '{}'", preset),
                 .expected = fmt::format("{}", fmt::join(names, " or "))});
  }
  std::vector<size_t> positions = {0};
  std::vector<std::string> headings;
  std::vector<std::string> metrics;
  for (const TablePreset::Column& column : found->columns) {
    metrics.push_back(column.metric);
    const std::optional<size_t> position = table.column(column.metric);
    if (!position) continue;
    positions.push_back(*position);
    headings.push_back(column.heading);
  }
  if (headings.empty()) {
    throw Error({.what = fmt::format("no run has a metric of the preset '{}'", preset),
                 .expected = fmt::format("{}", fmt::join(metrics, ", ")),
                 .hint = "name the columns with --columns"});
  }
  ResultTable result = with_positions(table, positions);
  for (size_t c = 0; c < headings.size(); ++c) result.columns[c + 1].name = headings[c];
  return result;
}

ResultTable transposed(const ResultTable& table) {
  ResultTable result = table;
  result.columns = {{"metric"}};
  result.rows.clear();
  result.json_members.clear();
  for (const std::vector<ResultCell>& row : table.rows) result.columns.push_back({row[0].text});
  for (size_t c = 1; c < table.columns.size(); ++c) {
    std::vector<ResultCell> row = {name_cell(table.columns[c].name)};
    for (const std::vector<ResultCell>& former : table.rows) row.push_back(former[c]);
    result.rows.push_back(std::move(row));
  }
  return result;
}

ResultTable without_intervals(ResultTable table) {
  for (std::vector<ResultCell>& row : table.rows) {
    for (ResultCell& cell : row) cell.interval.reset();
  }
  return table;
}

bool has_intervals(const ResultTable& table) {
  return any_cell_of(table, [](const ResultCell& cell) { return cell.interval.has_value(); });
}

bool has_marks(const ResultTable& table) {
  return any_cell_of(table, [](const ResultCell& cell) { return cell.marked; });
}

size_t widest_line(const std::string& text) {
  size_t widest = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    widest = std::max(widest, text_width(std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  return widest;
}

std::string format_blocks(const ResultTable& table, size_t width) {
  const std::vector<size_t> names = leading_names(table);
  std::string text;
  std::vector<size_t> block = names;
  std::string block_text;
  const auto finish = [&] {
    if (block.size() > names.size()) text += (text.empty() ? "" : "\n") + block_text;
    block = names;
  };
  for (size_t c = names.size(); c < table.columns.size(); ++c) {
    std::vector<size_t> wider = block;
    wider.push_back(c);
    std::string wider_text = format_table(with_positions(table, wider), TableFormat::kTable);
    if (block.size() > names.size() && widest_line(wider_text) > width) {
      finish();
      wider = block;
      wider.push_back(c);
      wider_text = format_table(with_positions(table, wider), TableFormat::kTable);
    }
    block = std::move(wider);
    block_text = std::move(wider_text);
  }
  finish();
  return text.empty() ? format_table(table, TableFormat::kTable) : text;
}

}  // namespace palimpsest::report
