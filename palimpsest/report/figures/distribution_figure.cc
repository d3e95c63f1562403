#include "palimpsest/report/internal/figures/distribution_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/table.h"
#include "palimpsest/report/internal/figures/axis_range.h"
#include "palimpsest/stat/histogram_stat.h"

namespace palimpsest::report {
namespace {

constexpr double kPanelHeight = 84;  // of one panel among several
constexpr double kLonePanelHeight = 220;
constexpr double kHeadroom = 1.05;  // above the highest bar

std::vector<double> finite(std::span<const double> values) {
  std::vector<double> result;
  std::ranges::copy_if(values, std::back_inserter(result),
                       [](double v) { return std::isfinite(v); });
  return result;
}

// Edges of equal bins; fewer where the range is too narrow for as many different numbers.
std::vector<double> edges_of(double low, double high, int64_t bins) {
  if (low == high) {
    const double margin = std::max(0.5, std::abs(low) / 1024);
    low -= margin;
    high += margin;
  }
  std::vector<double> edges = {low};
  for (int64_t i = 1; i < bins; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(bins);
    // Not low + share * (high - low), whose difference may overflow.
    const double edge = low * (1 - share) + high * share;
    if (edge > edges.back() && edge < high) edges.push_back(edge);
  }
  edges.push_back(high);
  return edges;
}

// The bars of one panel: for each set the shares of it that lie in the bins.
ChartPanel histogram_panel(const std::string& name, std::span<const ScoreSet> sets, int64_t bins,
                           Chart& chart) {
  std::vector<std::vector<double>> values;
  AxisRange range(std::nullopt);
  size_t count = 0;
  for (const ScoreSet& set : sets) {
    values.push_back(set.panel == name ? finite(set.scores) : std::vector<double>());
    for (double value : values.back()) range.include(value);
    count += values.back().size();
  }
  ChartPanel panel;
  if (!range.range()) return panel;
  const int64_t useful = std::max<int64_t>(10, std::llround(2 * std::cbrt(count)));
  const std::vector<double> edges =
      edges_of(range.range()->low, range.range()->high, std::min(bins, useful));
  panel.x.domain = {edges.front(), edges.back()};
  double highest = 0;
  for (size_t s = 0; s < sets.size(); ++s) {
    if (values[s].empty()) continue;
    const size_t series = series_of(chart, sets[s].set);
    const Array counts = stat::HistogramStat::of(values[s], edges).result();
    for (size_t b = 0; b + 1 < edges.size(); ++b) {
      const double share = counts.values()[b] / static_cast<double>(values[s].size());
      if (share == 0) continue;
      highest = std::max(highest, share);
      mark_of(panel, MarkKind::kBar, series)
          .points.push_back({edges[b], share, edges[b + 1], 0,
                             fmt::format("{}: {:.3g}% between {} and {}", sets[s].set, 100 * share,
                                         format_number(edges[b]), format_number(edges[b + 1]))});
    }
  }
  panel.y.domain = {0, highest * kHeadroom};
  return panel;
}

}  // namespace

Chart distribution_figure(std::span<const ScoreSet> sets,
                          const DistributionFigureOptions& options) {
  if (options.bins < 1) throw Error(fmt::format("{} bins are too few", options.bins));
  std::vector<std::string> names;
  Chart chart{.series_title = "set"};
  for (const ScoreSet& set : sets) {
    add_once(names, set.panel);
    series_of(chart, set.set);
  }
  for (const std::string& name : names) {
    ChartPanel panel = histogram_panel(name, sets, options.bins, chart);
    if (names.size() > 1) panel.title = name;
    panel.height = names.size() > 1 ? kPanelHeight : kLonePanelHeight;
    // One title for all: the panels are read from above.
    if (chart.panels.empty()) panel.y.title = "share of the set";
    if (chart.panels.size() + 1 == names.size()) panel.x.title = "score";
    chart.panels.push_back(std::move(panel));
  }
  if (chart.series.size() == 2) chart.overlap = "where the two overlap";
  return chart;
}

}  // namespace palimpsest::report
