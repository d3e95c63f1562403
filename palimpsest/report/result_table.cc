#include "palimpsest/report/result_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/csv.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/table.h"
#include "palimpsest/stat/internal/optional_json.h"

namespace palimpsest::report {
namespace {

using Cell = ResultCell;

// A number that is not 0 must not look like 0.
bool is_tiny(double value) {
  return value != 0 && std::abs(value) < 1e-3;
}

// "4.3e-08", "1e-05"
std::string scientific(double value) {
  std::string text = fmt::format("{:.1e}", value);
  const size_t zero = text.find(".0e");
  return zero == std::string::npos ? text : text.erase(zero, 2);
}

std::string shown_number(double value) {
  return is_tiny(value) ? scientific(value) : format_number(value);
}

std::string shown_end(double value) {
  return is_tiny(value) ? scientific(value) : fmt::format("{:.3f}", value);
}

std::string shown_interval(const stat::Interval& interval) {
  if (std::isnan(interval.low) || std::isnan(interval.high)) return "n/a";
  return fmt::format("{} … {}", shown_end(interval.low), shown_end(interval.high));
}

std::string shown(const Cell& cell) {
  if (!cell.is_number) return cell.text;
  std::string text = cell.value ? shown_number(*cell.value) : "n/a";
  if (cell.marked) text += "✱";
  if (cell.interval) text += fmt::format(" ({})", shown_interval(*cell.interval));
  return text;
}

std::string aligned(const ResultTable& table) {
  auto printable = [](const std::string& text) {
    std::string line = without_controls(text);
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
  };
  std::vector<std::string> heading;
  for (const ResultColumn& column : table.columns) heading.push_back(printable(column.name));
  Table text(heading);
  for (const std::vector<Cell>& row : table.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(printable(shown(cell)));
    text.add_row(std::move(cells));
  }
  return text.to_string();
}

// What stands for a character in a format.
struct Escape {
  char character;
  std::string_view text;
};

// The text with escapes, and with spaces in place of control characters.
std::string escaped(const std::string& text, std::span<const Escape> escapes) {
  std::string result;
  for (const char c : with_visible_directions(text)) {
    const auto found = std::ranges::find(escapes, c, &Escape::character);
    if (found != escapes.end()) {
      result += found->text;
    } else {
      result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return result;
}

// Text that Markdown shows as it is, within one cell.
std::string markdown_text(const std::string& text) {
  constexpr Escape kEscapes[] = {{'<', "&lt;"}, {'&', "&amp;"}, {'\\', "\\\\"}, {'|', "\\|"},
                                 {'`', "\\`"},  {'*', "\\*"},   {'_', "\\_"},   {'[', "\\["},
                                 {']', "\\]"},  {'#', "\\#"}};
  return escaped(text, kEscapes);
}

std::string latex_text(const std::string& text) {
  constexpr Escape kEscapes[] = {
      {'\\', "\\textbackslash{}"},
      {'~', "\\textasciitilde{}"},
      {'^', "\\textasciicircum{}"},
      // In LaTeX's own encoding these three are other characters, and babel makes commands of ".
      {'<', "\\textless{}"},
      {'>', "\\textgreater{}"},
      {'|', "\\textbar{}"},
      {'"', "\\symbol{34}"},
      {'&', "\\&"},
      {'%', "\\%"},
      {'$', "\\$"},
      {'#', "\\#"},
      {'_', "\\_"},
      {'{', "\\{"},
      {'}', "\\}"}};
  return escaped(text, kEscapes);
}

std::string latex_number(double value) {
  if (std::isnan(value)) return "n/a";
  if (std::isinf(value)) return value > 0 ? "$\\infty$" : "$-\\infty$";
  if (!is_tiny(value)) return fmt::format("${:.3f}$", value);
  // "4.3e-08" as 4.3 × 10⁻⁸.
  const std::string digits = scientific(value);
  const size_t e = digits.find('e');
  return fmt::format("${} \\times 10^{{{}}}$", digits.substr(0, e),
                     std::stoi(digits.substr(e + 1)));
}

// Arrows of headings, which LaTeX's fonts have in formulas alone.
std::string latex_heading(const std::string& text) {
  std::string result = latex_text(text);
  for (const auto& [arrow, command] :
       {std::pair{"↑", "$\\uparrow$"}, std::pair{"↓", "$\\downarrow$"}, std::pair{"→", "$\\to$"}}) {
    const std::string_view sign = arrow;
    for (size_t at = 0; (at = result.find(sign, at)) != std::string::npos;)
      result.replace(at, sign.size(), command);
  }
  return result;
}

std::string latex_cell(const Cell& cell) {
  if (!cell.is_number) return latex_heading(cell.text);
  std::string text = cell.value ? latex_number(*cell.value) : "n/a";
  if (cell.marked) text += "$^{*}$";
  if (cell.interval) {
    text += fmt::format(" [{}, {}]", latex_number(cell.interval->low),
                        latex_number(cell.interval->high));
  }
  return text;
}

bool any_cell(const ResultTable& table, size_t column, bool (*holds)(const Cell&)) {
  return std::ranges::any_of(table.rows,
                             [&](const std::vector<Cell>& row) { return holds(row[column]); });
}

bool is_number_column(const ResultTable& table, size_t column) {
  return any_cell(table, column, [](const Cell& cell) { return cell.is_number; });
}

std::string markdown(const ResultTable& table) {
  std::string text = "|";
  std::string rule = "|";
  for (size_t c = 0; c < table.columns.size(); ++c) {
    text += " " + markdown_text(table.columns[c].name) + " |";
    rule += is_number_column(table, c) ? "---:|" : "---|";
  }
  text += "\n" + rule + "\n";
  for (const std::vector<Cell>& row : table.rows) {
    text += "|";
    for (const Cell& cell : row)
      text += " " + (cell.is_number ? shown(cell) : markdown_text(shown(cell))) + " |";
    text += "\n";
  }
  return text;
}

std::string latex(const ResultTable& table) {
  std::string columns;
  std::string heading;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    columns += is_number_column(table, c) ? 'r' : 'l';
    heading += (c > 0 ? " & " : "") + latex_heading(table.columns[c].name);
  }
  std::string text = fmt::format(
      "% needs \\usepackage{{booktabs}}\n\\begin{{tabular}}{{{}}}\n\\toprule\n{} \\\\\n\\midrule\n",
      columns, heading);
  for (const std::vector<Cell>& row : table.rows) {
    for (size_t c = 0; c < row.size(); ++c) text += (c > 0 ? " & " : "") + latex_cell(row[c]);
    text += " \\\\\n";
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string csv_number(const std::optional<double>& value) {
  return value && !std::isnan(*value) ? fmt::format("{}", *value) : "";
}

std::string csv(const ResultTable& table, std::string (*text_cell)(std::string_view)) {
  std::vector<std::string> lines(table.rows.size() + 1);
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const bool intervals =
        any_cell(table, c, [](const Cell& cell) { return cell.interval.has_value(); });
    const bool marks = any_cell(table, c, [](const Cell& cell) { return cell.marked; });
    const std::string& name = table.columns[c].name;
    auto append = [](std::string& line, const std::string& cell) { line += cell + ","; };
    append(lines[0], text_cell(name));
    if (intervals) append(lines[0], text_cell(name + "_low") + "," + text_cell(name + "_high"));
    if (marks) append(lines[0], text_cell(name + "_differs"));
    for (size_t r = 0; r < table.rows.size(); ++r) {
      const Cell& cell = table.rows[r][c];
      append(lines[r + 1], cell.is_number ? csv_number(cell.value) : text_cell(cell.text));
      if (intervals) {
        append(lines[r + 1], cell.interval ? csv_number(cell.interval->low) + "," +
                                                 csv_number(cell.interval->high)
                                           : ",");
      }
      if (marks) append(lines[r + 1], cell.marked ? "1" : "0");
    }
  }
  std::string text;
  for (std::string& line : lines) {
    if (!line.empty()) line.pop_back();
    text += line + "\n";
  }
  return text;
}

std::string json(const ResultTable& table) {
  Json rows = Json::array();
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const std::vector<Cell>& row = table.rows[r];
    Json object = Json::object();
    for (size_t c = 0; c < row.size(); ++c) {
      const Cell& cell = row[c];
      const std::string& name = table.columns[c].name;
      object[name] = cell.is_number ? stat::optional_to_json(cell.value) : Json(cell.text);
      if (cell.interval) object[name + "_interval"] = stat::interval_to_json(cell.interval);
      if (cell.marked) object[name + "_differs"] = true;
    }
    if (r < table.json_members.size()) {
      const Json members = parse_json(table.json_members[r], "the table's JSON");
      PALIMPSEST_CHECK(members.is_object());
      object.update(members);
    }
    rows.push_back(std::move(object));
  }
  return to_text(rows);
}

struct Format {
  std::string_view name;  // empty: not by name
  TableFormat format;
  std::string (*print)(const ResultTable&);
};

constexpr Format kFormats[] = {
    {"table", TableFormat::kTable, aligned},
    {"markdown", TableFormat::kMarkdown, markdown},
    {"latex", TableFormat::kLatex, latex},
    {"csv", TableFormat::kCsv, [](const ResultTable& t) { return csv(t, csv_cell); }},
    {"json", TableFormat::kJson, json},
    {"", TableFormat::kCsvSafe, [](const ResultTable& t) { return csv(t, csv_safe_cell); }},
};

}  // namespace

TableFormat table_format(const std::string& name) {
  for (const Format& format : kFormats) {
    if (!name.empty() && format.name == name) return format.format;
  }
  throw Error({.what = fmt::format("there is no format '{}'", name),
               .expected = "table, markdown, latex, csv or json"});
}

ResultCell name_cell(std::string text) {
  return {.text = std::move(text)};
}

ResultCell number_cell(std::optional<double> value, std::optional<stat::Interval> interval,
                       bool marked) {
  return {.is_number = true, .value = value, .interval = interval, .marked = marked};
}

std::vector<std::string> ResultTable::heading() const {
  std::vector<std::string> names;
  for (const ResultColumn& one : columns) names.push_back(one.name);
  return names;
}

std::optional<size_t> ResultTable::column(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &ResultColumn::name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<size_t>(found - columns.begin());
}

std::string format_table(const ResultTable& table, TableFormat format) {
  for (const std::vector<ResultCell>& row : table.rows)
    PALIMPSEST_CHECK(row.size() == table.columns.size());
  for (const Format& candidate : kFormats) {
    if (candidate.format == format) return candidate.print(table);
  }
  PALIMPSEST_CHECK(false);
  return "";
}

}  // namespace palimpsest::report
