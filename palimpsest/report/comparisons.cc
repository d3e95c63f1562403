#include "palimpsest/report/internal/report_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "palimpsest/base/error.h"
#include "palimpsest/report/internal/figures/comparison_figure.h"
#include "palimpsest/report/internal/figures/make_figure.h"

namespace palimpsest::report {

namespace {

bool has_column(const SummaryTable& table, const std::string& name) {
  return std::ranges::find(table.columns, name) != table.columns.end();
}

}  // namespace

std::span<const Comparison> published_comparisons() {
  static const std::vector<Comparison> comparisons = {
      {"generator", {"dataset", "attack"}, "target_id"},
      {"attack", {"dataset", "generator"}, "target_id"},
      {"dataset", {"attack", "generator"}, "target_id"},
      {"target_id", {"dataset", "attack"}, "generator"},
      {"target_id", {"dataset", "generator"}, "attack"},
      {"generator", {"dataset", "target_id"}, "attack"},
  };
  return comparisons;
}

std::string SummaryTable::value(const AttackSummary& summary, const std::string& column) const {
  const auto found = std::ranges::find(columns, column);
  if (found == columns.end()) return "";
  return summary.values[static_cast<size_t>(found - columns.begin())];
}

std::string SummaryTable::setting(const AttackSummary& summary,
                                  const std::vector<std::string>& without) const {
  std::string setting;
  for (size_t c = 0; c < columns.size(); ++c) {
    if (std::ranges::find(without, columns[c]) != without.end()) continue;
    const bool differs = std::ranges::any_of(
        summaries, [&](const AttackSummary& s) { return s.values[c] != summary.values[c]; });
    if (!differs || summary.values[c].empty()) continue;
    setting += (setting.empty() ? "" : ", ") + summary.values[c];
  }
  return setting;
}

void SummaryTable::require_column(const std::string& column, const std::string& option) const {
  if (has_column(*this, column)) return;
  throw Error({.what = fmt::format("there is no column '{}'", column),
               .where = option,
               .found = columns.empty() ? "no columns"
                                        : fmt::format("the columns {}", fmt::join(columns, ", "))});
}

std::vector<Figure> comparison_figures(const SummaryTable& table, const Comparison& comparison) {
  std::vector<std::string> metrics;
  for (size_t metric : table.metrics) metrics.emplace_back(summary_metrics()[metric].name);
  std::map<std::vector<std::string>, std::vector<ComparisonPoint>> groups;
  for (const AttackSummary& summary : table.summaries) {
    std::vector<std::string> fixed;
    for (const std::string& column : comparison.fix) fixed.push_back(table.value(summary, column));
    std::vector<ComparisonPoint>& points = groups[fixed];
    for (size_t i = 0; i < metrics.size(); ++i) {
      points.push_back({.metric = metrics[i],
                        .x = table.value(summary, comparison.compare),
                        .marker = table.value(summary, comparison.marker),
                        .value = summary.metrics[i].value,
                        .interval = summary.metrics[i].interval});
    }
  }
  std::vector<Figure> figures;
  for (const auto& [fixed, points] : groups) {
    std::string name = fmt::format("compare_{}_by_{}", comparison.compare, comparison.marker);
    std::string setting;
    for (size_t i = 0; i < fixed.size(); ++i) {
      if (fixed[i].empty()) continue;
      name += fmt::format("_{}={}", comparison.fix[i], fixed[i]);
      setting += fmt::format("{}{}: {}", setting.empty() ? "" : ", ", comparison.fix[i], fixed[i]);
    }
    figures.push_back(make_figure(
        {.name = figure_name(name),
         .title = fmt::format("Comparison by {}{}", comparison.compare,
                              setting.empty() ? "" : fmt::format(" ({})", setting)),
         .caption = fmt::format("One panel per metric; colours: {}.", comparison.marker)},
        comparison_figure(points, {.x_axis = comparison.compare,
                                   .marker_title = comparison.marker,
                                   .metrics = metrics})));
  }
  return figures;
}

std::vector<Figure> published_figures(const SummaryTable& table) {
  std::vector<Figure> figures;
  const bool has_runs = has_column(table, "run");
  for (Comparison comparison : published_comparisons()) {
    // Runs are what differs where nobody names targets.
    if (has_runs && !has_column(table, comparison.marker)) comparison.marker = "run";
    std::set<std::string> compared;
    for (const AttackSummary& summary : table.summaries)
      compared.insert(table.value(summary, comparison.compare));
    if (compared.size() < 2) continue;
    for (Figure& figure : comparison_figures(table, comparison))
      figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace palimpsest::report
