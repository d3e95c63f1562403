#include "palimpsest/cli/results.h"
#include "palimpsest/cli/json_output.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/base/internal/table.h"
#include "palimpsest/stat/mean_stat.h"

namespace palimpsest::cli {
namespace {

constexpr int kDigits = 6;
// A matrix that is wider than this is not readable; it is in the file.
constexpr int64_t kMaxColumns = 24;

// Counts in full, other numbers rounded.
std::string format_value(double value) {
  constexpr double kExact = 1e15;
  const bool whole = std::trunc(value) == value && std::abs(value) < kExact;
  return format_number(value, whole ? 15 : kDigits);
}

std::string format_matrix(std::span<const double> values, int64_t columns) {
  std::vector<std::string> heading = {""};
  for (int64_t c = 0; c < columns; ++c) heading.push_back(fmt::format("{}", c));
  Table table(heading);
  const int64_t rows = static_cast<int64_t>(values.size()) / columns;
  for (int64_t r = 0; r < rows; ++r) {
    std::vector<std::string> cells = {fmt::format("{}", r)};
    for (int64_t c = 0; c < columns; ++c) {
      cells.push_back(format_value(values[static_cast<size_t>(r * columns + c)]));
    }
    table.add_row(std::move(cells));
  }
  return table.to_string();
}

// An array of rank 2 or higher: one matrix for each element of the leading axes.
std::string format_matrices(const std::string& name, const Array& result, const std::string& axis) {
  const Shape& shape = result.shape();
  const int64_t columns = shape.back();
  const int64_t matrix_size = columns * shape[shape.size() - 2];
  if (columns > kMaxColumns || matrix_size == 0) {
    return fmt::format("\n{}: an array of the shape {}, see --out or --json\n", name,
                       to_string(shape));
  }
  std::string text;
  for (int64_t begin = 0; begin < result.size(); begin += matrix_size) {
    const std::string element =
        shape.size() > 2 ? fmt::format(", {} {}", axis, begin / matrix_size) : "";
    text += fmt::format("\n{}{}\n", name, element) +
            format_matrix(result.values().subspan(static_cast<size_t>(begin),
                                                  static_cast<size_t>(matrix_size)),
                          columns);
  }
  return text;
}

}  // namespace

std::string format_results(const stat::NamedStats& stats, const std::string& axis) {
  bool any_vector = false;
  for (const auto& [name, stat] : stats) any_vector = any_vector || stat.result().rank() == 1;
  std::vector<std::string> heading = {"metric", "value", "weight"};
  if (any_vector) heading.insert(heading.begin() + 1, axis);
  Table table(heading);
  bool any_row = false;
  std::string matrices;
  for (const auto& [name, stat] : stats) {
    const Array result = stat.result();
    if (result.rank() > 1) {
      matrices += format_matrices(name, result, axis);
      continue;
    }
    const auto* mean = stat.get<stat::MeanStat>();
    for (size_t i = 0; i < static_cast<size_t>(result.size()); ++i) {
      std::vector<std::string> row = {
          name, format_value(result.values()[i]),
          mean == nullptr ? "-" : format_value(mean->weight().values()[i])};
      if (any_vector) {
        row.insert(row.begin() + 1, result.rank() == 0 ? "-" : fmt::format("{}", i));
      }
      table.add_row(std::move(row));
      any_row = true;
    }
  }
  if (!any_row) return matrices.empty() ? "" : matrices.substr(1);
  return table.to_string() + matrices;
}

void require_folder_of(const std::string& out) {
  const auto folder = std::filesystem::path(out).parent_path();
  std::error_code ignored;
  if (out.empty() || folder.empty() || std::filesystem::is_directory(folder, ignored)) return;
  throw Error(
      {.what = "the folder does not exist", .where = folder.string(), .hint = "make it first"});
}

void require_no_input_at(const std::filesystem::path& out,
                         const std::vector<std::filesystem::path>& inputs) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::is_regular_file(out, ignored)) return;  // nothing to replace, or a device
  const auto require_other = [&](const fs::path& file) {
    if (!fs::equivalent(file, out, ignored)) return;
    throw Error({.what = fmt::format("the result would replace the input {}", file.string()),
                 .where = out.string(),
                 .hint = "give the result a file of its own"});
  };
  for (const fs::path& input : inputs) {
    require_other(input);
    fs::directory_iterator entries(input, ignored);  // none if it is no folder
    for (; entries != fs::directory_iterator(); entries.increment(ignored))
      require_other(entries->path());
  }
}

void require_no_input_in(const std::filesystem::path& out, const std::vector<std::string>& names,
                         const std::vector<std::string>& inputs) {
  std::error_code ignored;
  for (const std::string& input : inputs) {
    if (std::filesystem::is_directory(input, ignored)) continue;
    for (const std::string& name : names) require_no_input_at(out / name, {input});
  }
}

std::optional<OutputLock> lock_output_file(const std::string& out, const std::string& command,
                                           const std::vector<std::filesystem::path>& inputs) {
  if (out.empty()) return std::nullopt;
  require_folder_of(out);
  require_no_input_at(out, inputs);
  return OutputLock::of_file(out, command);
}

void report_results(const stat::NamedStats& stats, const ResultOptions& options) {
  const std::string file = stat::stats_to_json(stats);
  if (!options.out.empty()) {
    write_file(options.out, file);
    log_info("the statistics are in {}", options.out);
  }
  // Names come from files of other machines.
  if (options.json) {
    print_json(file);
  } else {
    fmt::print("{}", without_controls(format_results(stats, options.axis)));
  }
}

}  // namespace palimpsest::cli
