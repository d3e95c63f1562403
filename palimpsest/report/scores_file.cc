#include "palimpsest/report/scores_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "palimpsest/base/error.h"
#include "palimpsest/data/internal/csv_reader.h"

namespace palimpsest::report {
namespace {

constexpr std::string_view kRun = "run";

// A cell in a message: cut, and without line breaks.
std::string shown(std::string_view cell) {
  constexpr size_t kLongest = 40;
  std::string text(cell.substr(0, kLongest));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  return fmt::format("'{}{}'", text, cell.size() > kLongest ? "…" : "");
}

// Python writes 1 as 1.0 and True, too.
std::string_view canonical_class(std::string_view cell) {
  if (cell == "1.0" || cell == "True" || cell == "true") return "1";
  if (cell == "0.0" || cell == "False" || cell == "false") return "0";
  return cell;
}

// Where the columns stand in one file.
struct Heading {
  std::vector<std::string> names;
  size_t label = 0;
  std::optional<size_t> score;
  std::optional<size_t> prediction;
  std::vector<std::optional<size_t>> keys;  // one per column of the table

  std::optional<size_t> find(std::string_view name) const {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return std::nullopt;
    return static_cast<size_t>(found - names.begin());
  }
};

Heading read_heading(data::CsvReader& reader, const std::string& path) {
  Heading heading;
  if (!reader.next(heading.names)) {
    throw Error({.what = "the file is empty",
                 .where = path,
                 .expected = "a header line such as label,score,attack and one row per example"});
  }
  auto found = [&] { return fmt::format("the columns {}", fmt::join(heading.names, ", ")); };
  for (size_t i = 0; i < heading.names.size(); ++i) {
    if (*heading.find(heading.names[i]) == i) continue;
    throw Error({.what = fmt::format("the column {} occurs twice", shown(heading.names[i])),
                 .where = reader.where()});
  }
  const std::optional<size_t> label = heading.find("label");
  if (!label) {
    throw Error({.what = "there is no column 'label'",
                 .where = reader.where(),
                 .found = found(),
                 .hint = "say of every row whether the example is a member (1) or not (0)"});
  }
  heading.label = *label;
  heading.score = heading.find("score");
  heading.prediction = heading.find("prediction");
  if (!heading.score && !heading.prediction) {
    throw Error({.what = "there is neither a column 'score' nor a column 'prediction'",
                 .where = reader.where(),
                 .found = found(),
                 .hint = "give what the attack said about each example"});
  }
  return heading;
}

class TableBuilder {
 public:
  explicit TableBuilder(const std::vector<std::string>& further) {
    for (std::string_view name : kMetadataColumns) table_.columns.emplace_back(name);
    table_.columns.emplace_back(kRun);
    for (const std::string& name : further) {
      if (!table_.column(name)) {
        table_.columns.push_back(name);
        further_.push_back(name);
      }
    }
    used_.assign(table_.columns.size(), false);
  }

  void add_file(const ScoresInput& input) {
    const std::string path = input.path.string();
    data::CsvReader reader(input.path);
    Heading heading = read_heading(reader, path);
    find_keys(heading, reader.where());
    run_ = input.run;
    if (!run_.empty()) used_[*table_.column(kRun)] = true;
    std::vector<std::string> cells;
    int64_t rows = 0;
    for (; reader.next(cells); ++rows) add_row(heading, cells, reader.where());
    if (rows > 0) return;
    throw Error({.what = "the file has a header line but no rows", .where = path});
  }

  // Columns that no file has are dropped.
  ScoresTable finish() {
    auto drop_unused = [&](std::vector<std::string>& cells) {
      size_t kept = 0;
      for (size_t c = 0; c < used_.size(); ++c) {
        if (used_[c]) std::swap(cells[kept++], cells[c]);
      }
      cells.resize(kept);
    };
    drop_unused(table_.columns);
    for (AttackRows& rows : table_.attacks) drop_unused(rows.values);
    return std::move(table_);
  }

 private:
  void find_keys(Heading& heading, const std::string& where) {
    for (size_t c = 0; c < table_.columns.size(); ++c) {
      heading.keys.push_back(heading.find(table_.columns[c]));
      if (heading.keys.back()) used_[c] = true;
    }
    for (const std::string& name : further_) {
      if (heading.find(name)) continue;
      throw Error({.what = fmt::format("there is no column {}", shown(name)),
                   .where = where,
                   .found = fmt::format("the columns {}", fmt::join(heading.names, ", "))});
    }
  }

  void add_row(const Heading& heading, const std::vector<std::string>& cells,
               const std::string& where) {
    if (cells.size() != heading.names.size()) {
      throw Error({.what = "the number of cells in the row differs from that of the header line",
                   .where = where,
                   .expected = fmt::format("{} cells", heading.names.size()),
                   .found = std::to_string(cells.size())});
    }
    AttackRows& rows = rows_of(heading, cells, where);
    const bool first = rows.labels.empty();
    if (!first && (rows.scores.empty() == heading.score.has_value() ||
                   rows.predictions.empty() == heading.prediction.has_value())) {
      throw Error({.what = "one attack has rows with and without scores or predictions",
                   .where = where,
                   .hint = "give all files of an attack the same columns"});
    }
    rows.labels.push_back(class_of(cells[heading.label], "label", where));
    if (heading.score) rows.scores.push_back(score_of(cells[*heading.score], where));
    if (heading.prediction) {
      rows.predictions.push_back(class_of(cells[*heading.prediction], "prediction", where));
    }
  }

  AttackRows& rows_of(const Heading& heading, const std::vector<std::string>& cells,
                      const std::string& where) {
    key_.clear();
    for (size_t c = 0; c < heading.keys.size(); ++c) {
      key_ += value_of(heading, cells, c);
      key_ += '\0';
    }
    const auto [found, is_new] = attack_rows_of_.try_emplace(key_, table_.attacks.size());
    if (is_new) {
      if (table_.attacks.size() == kMaxAttackRows) {
        throw Error(
            {.what = fmt::format("the rows fall into more than {} settings", kMaxAttackRows),
             .where = where,
             .hint = "does one of the columns that tell settings apart have a different value in "
                     "every row?"});
      }
      table_.attacks.emplace_back();
      for (size_t c = 0; c < heading.keys.size(); ++c)
        table_.attacks.back().values.emplace_back(value_of(heading, cells, c));
    }
    return table_.attacks[found->second];
  }

  std::string_view value_of(const Heading& heading, const std::vector<std::string>& cells,
                            size_t column) const {
    if (!run_.empty() && table_.columns[column] == kRun) return run_;
    return heading.keys[column] ? std::string_view(cells[*heading.keys[column]]) : "";
  }

  int32_t class_of(std::string_view cell, std::string_view what, const std::string& where) {
    if (cell.empty()) {
      throw Error({.what = fmt::format("the {} is missing", what), .where = where});
    }
    const std::string_view name = canonical_class(cell);
    // There are few classes, mostly two.
    for (size_t i = 0; i < std::min<size_t>(2, table_.classes.size()); ++i) {
      if (table_.classes[i].name == name) return static_cast<int32_t>(i);
    }
    const auto [found, is_new] =
        classes_.try_emplace(std::string(name), static_cast<int32_t>(table_.classes.size()));
    if (is_new) {
      if (table_.classes.size() == kMaxClasses) {
        throw Error({.what = fmt::format("there are more than {} different labels", kMaxClasses),
                     .where = where,
                     .found = shown(cell)});
      }
      table_.classes.push_back({std::string(name), where});
    }
    return found->second;
  }

  static double score_of(std::string_view cell, const std::string& where) {
    double score = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), score);
    if (cell.empty() || error != std::errc() || end != cell.data() + cell.size() ||
        !std::isfinite(score)) {
      throw Error({.what = "the score is not a finite number",
                   .where = where,
                   .found = cell.empty() ? "nothing" : shown(cell),
                   .hint = "leave out rows without a score"});
    }
    return score;
  }

  ScoresTable table_;
  std::vector<std::string> further_;
  std::vector<bool> used_;  // whether some file has the column
  std::string run_;
  std::string key_;
  std::unordered_map<std::string, size_t> attack_rows_of_;
  std::unordered_map<std::string, int32_t> classes_;
};

}  // namespace

std::optional<size_t> ScoresTable::column(std::string_view name) const {
  const auto found = std::ranges::find(columns, name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<size_t>(found - columns.begin());
}

ScoresTable read_scores(std::span<const ScoresInput> inputs,
                        const std::vector<std::string>& further) {
  TableBuilder builder(further);
  for (const ScoresInput& input : inputs) builder.add_file(input);
  return builder.finish();
}

}  // namespace palimpsest::report
