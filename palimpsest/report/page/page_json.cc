#include "palimpsest/report/internal/page/page_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/table.h"

namespace palimpsest::report {
namespace {

std::string_view tone_name(PageTone tone) {
  constexpr std::string_view kNames[] = {"neutral", "good", "caution", "bad"};
  return kNames[static_cast<size_t>(tone)];
}

// Six significant digits: more than a reader or a sort needs, a third of the size.
Json short_number(const std::optional<double>& value) {
  if (!value) return nullptr;
  if (!std::isfinite(*value) || *value == 0) return number_to_json(*value);
  const double scale = std::pow(10, 5 - std::floor(std::log10(std::abs(*value))));
  // Numbers close to the limits of double are left alone: their scale is not one.
  if (!std::isfinite(scale) || scale == 0 || !std::isfinite(*value * scale)) return *value;
  return std::round(*value * scale) / scale;
}

Json rounded_interval(const std::optional<stat::Interval>& interval) {
  if (!interval) return nullptr;
  return {short_number(interval->low), short_number(interval->high)};
}

Json headline_to_json(const PageHeadline& headline) {
  return {{"certainty", headline.certainty},
          {"statistics", headline.statistics},
          {"detects", headline.detects},
          {"misses", headline.misses},
          {"action", headline.action},
          {"reasons", headline.reasons},
          {"tone", tone_name(headline.tone)},
          {"valueName", headline.value_name},
          {"value", short_number(headline.value)},
          {"interval", rounded_interval(headline.interval)}};
}

Json entries_to_json(const std::vector<PageEntry>& entries) {
  Json list = Json::array();
  for (const PageEntry& entry : entries) {
    list.push_back({{"title", entry.title}, {"text", entry.text}});
  }
  return list;
}

Json flags_to_json(const std::vector<PageFlag>& flags) {
  Json list = Json::array();
  for (const PageFlag& flag : flags) {
    list.push_back({{"tone", tone_name(flag.tone)},
                    {"title", flag.title},
                    {"text", flag.text},
                    {"model", flag.model}});
  }
  return list;
}

// Numbers between 0 and 1 throughout are drawn on one scale.
bool is_share(const ResultTable& table, size_t column) {
  if (table.columns[column].is_share) return *table.columns[column].is_share;
  bool any = false;
  for (const auto& row : table.rows) {
    const ResultCell& cell = row[column];
    if (!cell.is_number) return false;
    if (!cell.value) continue;
    if (!(*cell.value >= 0 && *cell.value <= 1)) return false;
    any = true;
  }
  return any;
}

// Whether a column holds no value at all, so that there is nothing to show.
bool is_undefined(const ResultTable& table, size_t column) {
  return !table.rows.empty() && std::ranges::all_of(table.rows, [&](const auto& row) {
    return row[column].is_number && !row[column].value && row[column].text.empty();
  });
}

CellScale scale_of(const ResultCell& cell, const ResultColumn& column, bool share) {
  if (!cell.is_number || !cell.value) return CellScale::kNone;
  if (cell.scale != CellScale::kColumn) return cell.scale;
  if (!share) return CellScale::kNone;
  return column.is_auc ? CellScale::kAuc : CellScale::kShare;
}

std::string shown_cell(const ResultCell& cell, bool share) {
  if (!cell.is_number || !cell.text.empty()) return cell.text;
  if (!cell.value) return "n/a";
  const bool has_scale = cell.scale != CellScale::kColumn;
  const bool is_part = has_scale ? *cell.value >= 0 && *cell.value <= 1 : share;
  if (!is_part) return format_number(*cell.value);
  // A p-value that is not 0 must not look like it.
  return *cell.value > 0 && *cell.value < 0.0005 ? format_number(*cell.value, 2)
                                                 : fmt::format("{:.3f}", *cell.value);
}

Json cell_to_json(const ResultCell& cell, const ResultColumn& column, bool share) {
  Json object = {{"text", shown_cell(cell, share)}, {"value", short_number(cell.value)}};
  const CellScale scale = scale_of(cell, column, share);
  if (scale != CellScale::kNone) object["scale"] = scale == CellScale::kAuc ? "auc" : "share";
  if (cell.interval) object["interval"] = rounded_interval(cell.interval);
  if (cell.marked) object["significant"] = true;
  return object;
}

void require_whole_rows(const ResultTable& table) {
  for (const auto& row : table.rows) {
    if (row.size() == table.columns.size()) continue;
    throw Error({.what = "the number of cells in a row differs from the number of columns",
                 .where = "table '" + table.id + "'",
                 .expected = std::to_string(table.columns.size()),
                 .found = std::to_string(row.size())});
  }
}

// The first column names the rows.
Json table_to_json(const ResultTable& table) {
  require_whole_rows(table);
  PALIMPSEST_CHECK(table.row_groups.empty() || table.row_groups.size() == table.rows.size());
  Json columns = Json::array();
  std::vector<std::pair<size_t, bool>> shown;  // columns, and whether they hold shares
  for (size_t c = 1; c < table.columns.size(); ++c) {
    if (is_undefined(table, c)) continue;
    shown.emplace_back(c, is_share(table, c));
    columns.push_back({{"name", table.columns[c].name},
                       {"small", table.columns[c].small},
                       {"meaning", table.columns[c].meaning}});
  }
  Json rows = Json::array();
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const std::vector<ResultCell>& row = table.rows[r];
    Json cells = Json::array();
    for (const auto& [c, share] : shown)
      cells.push_back(cell_to_json(row[c], table.columns[c], share));
    Json object = {{"name", row.empty() ? "" : shown_cell(row[0], false)},
                   {"cells", std::move(cells)}};
    if (!row.empty() && !row[0].small.empty()) object["small"] = row[0].small;
    if (!table.row_groups.empty()) object["group"] = table.row_groups[r];
    rows.push_back(std::move(object));
  }
  return {{"id", table.id},
          {"title", table.title},
          {"caption", table.caption},
          {"rowName", table.columns.empty() ? "" : table.columns[0].name},
          {"detail", table.is_detail},
          {"summary", table.is_summary},
          {"folded", table.is_folded},
          {"columns", std::move(columns)},
          {"rows", std::move(rows)}};
}

template <class Items, class Convert>
Json list_of(const Items& items, const Convert& convert) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(convert(item));
  return list;
}

// One text of every example, or nothing where no example has it.
void add_text_column(Json& object, const char* name, const std::vector<PageExample>& rows,
                     std::optional<std::string> PageExample::*field) {
  if (std::ranges::none_of(rows, [&](const PageExample& row) { return (row.*field).has_value(); }))
    return;
  object[name] = list_of(rows, [&](const PageExample& row) {
    return row.*field ? Json(*(row.*field)) : Json(nullptr);
  });
}

Json tokens_to_json(const PageExample& example) {
  Json lowest = Json::array();
  for (size_t i = 0; i < example.tokens.size(); ++i) {
    if (example.tokens[i].is_lowest) lowest.push_back(i);
  }
  return {{"text", list_of(example.tokens, [](const PageToken& t) { return Json(t.text); })},
          {"logprob",
           list_of(example.tokens, [](const PageToken& t) { return short_number(t.logprob); })},
          {"lowest", std::move(lowest)},
          {"leftOut", example.tokens_left_out}};
}

void require_scores(const PageExamples& examples) {
  for (const PageExample& row : examples.rows) {
    if (row.scores.size() == examples.attacks.size()) continue;
    throw Error({.what = "the number of scores of an example differs from the number of attacks",
                 .where = "example '" + row.index + "'",
                 .expected = std::to_string(examples.attacks.size()),
                 .found = std::to_string(row.scores.size())});
  }
  PALIMPSEST_CHECK(examples.attacks.empty() || examples.ranking < examples.attacks.size());
}

Json examples_to_json(const PageExamples& examples) {
  require_scores(examples);
  const std::vector<PageExample>& rows = examples.rows;
  Json object = {{"attacks", examples.attacks},
                 {"ranking", examples.ranking},
                 {"lowestShare", examples.lowest_share},
                 {"note", examples.note},
                 {"recognisedWords", examples.recognised}};
  object["index"] = list_of(rows, [](const PageExample& row) { return Json(row.index); });
  std::string sets;
  for (const PageExample& row : rows) sets += row.set == PageSet::kForget ? 'f' : 'h';
  object["set"] = sets;
  add_text_column(object, "question", rows, &PageExample::question);
  add_text_column(object, "answer", rows, &PageExample::answer);
  add_text_column(object, "generation", rows, &PageExample::generation);
  Json scores = Json::array();
  for (size_t a = 0; a < examples.attacks.size(); ++a) {
    scores.push_back(
        list_of(rows, [&](const PageExample& row) { return short_number(row.scores[a]); }));
  }
  object["scores"] = std::move(scores);
  if (std::ranges::any_of(rows, [](const PageExample& row) { return row.q_value.has_value(); })) {
    object["qValue"] =
        list_of(rows, [](const PageExample& row) { return short_number(row.q_value); });
  }
  Json recognised = Json::array();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].is_recognised) recognised.push_back(i);
  }
  object["recognised"] = std::move(recognised);
  Json tokens = Json::object();
  auto& entries = tokens.get_ref<Json::object_t&>();  // appended without a search for equal keys
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].tokens.empty()) entries.emplace_back(std::to_string(i), tokens_to_json(rows[i]));
  }
  object["tokens"] = std::move(tokens);
  return object;
}

std::string without_angle_brackets(const std::string& json) {
  std::string text;
  text.reserve(json.size() + json.size() / 64);
  for (char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string page_to_json(const PageData& page) {
  Json data = {{"headline", headline_to_json(page.headline)},
               {"figures", entries_to_json(page.key_numbers)},
               {"flags", flags_to_json(page.flags)},
               {"notes", page.notes},
               {"limits", page.limits},
               {"tables", list_of(page.tables, table_to_json)},
               {"examples", examples_to_json(page.examples)},
               {"methods", entries_to_json(page.methods)},
               {"run", entries_to_json(page.run)}};
  // The page shows the escape itself, so its backslash is escaped in turn.
  return without_angle_brackets(with_visible_directions(to_line(data), "\\\\u"));
}

}  // namespace palimpsest::report
