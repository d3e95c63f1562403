#include "palimpsest/report/figures/distribution_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/report/internal/figures/spec.h"
#include "palimpsest/stat/histogram_stat.h"

namespace palimpsest::report {
namespace {

std::vector<double> finite(std::span<const double> values) {
  std::vector<double> result;
  std::copy_if(values.begin(), values.end(), std::back_inserter(result),
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

// The bins of one panel, a row each with the share of the set that lies in it.
void add_panel(Json& rows, const std::string& panel, std::span<const ScoreSet> sets, int64_t bins) {
  std::vector<std::vector<double>> values;
  AxisRange range(std::nullopt);
  for (const ScoreSet& set : sets) {
    values.push_back(set.panel == panel ? finite(set.scores) : std::vector<double>());
    for (double value : values.back()) range.include(value);
  }
  if (!range.range()) return;
  size_t count = 0;
  for (const auto& set : values) count += set.size();
  const int64_t useful = std::max<int64_t>(10, std::llround(2 * std::cbrt(count)));
  const std::vector<double> edges =
      edges_of(range.range()->low, range.range()->high, std::min(bins, useful));
  for (size_t s = 0; s < sets.size(); ++s) {
    if (values[s].empty()) continue;
    const Array counts = stat::HistogramStat::of(values[s], edges).result();
    for (size_t b = 0; b + 1 < edges.size(); ++b) {
      const double share = counts.values()[b] / static_cast<double>(values[s].size());
      if (share == 0) continue;
      rows.push_back({{"panel", panel},
                      {"set", sets[s].set},
                      {"from", coordinate(edges[b])},
                      {"to", coordinate(edges[b + 1])},
                      {"share", coordinate(share)}});
    }
  }
}

}  // namespace

std::string distribution_figure(std::span<const ScoreSet> sets,
                                const DistributionFigureOptions& options) {
  if (options.bins < 1) throw Error(fmt::format("{} bins are too few", options.bins));
  std::vector<std::string> panels;
  std::vector<std::string> names;
  for (const ScoreSet& set : sets) {
    add_once(panels, set.panel);
    add_once(names, set.set);
  }
  Json rows = Json::array();
  for (const std::string& panel : panels) add_panel(rows, panel, sets, options.bins);
  Json x = quantitative("from", options.axis);
  x["bin"] = "binned";
  Json y = quantitative("share", "share of the set");
  y["stack"] = nullptr;
  Json plot = {
      {"mark", {{"type", "bar"}, {"opacity", 0.55}, {"tooltip", true}}},
      {"encoding",
       {{"x", x}, {"x2", {{"field", "to"}}}, {"y", y}, {"color", colour("set", "", names)}}}};
  Json view = {{"data", {{"values", std::move(rows)}}}};
  if (panels.size() < 2) {
    for (const auto& [key, value] : plot.items()) view[key] = value;
    set_size(view, options.size);
    return figure_document(options.title, view);
  }
  plot["width"] = options.size.width;
  plot["height"] = options.size.height;
  view["facet"] = nominal("panel", "", panels);
  view["columns"] = 2;
  view["spec"] = std::move(plot);
  view["resolve"] = {{"scale", {{"x", "independent"}, {"y", "independent"}}}};
  return figure_document(options.title, view);
}

}  // namespace palimpsest::report
