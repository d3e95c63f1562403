#include "palimpsest/report/internal/figures/estimate_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "palimpsest/report/internal/figures/axis_range.h"

namespace palimpsest::report {
namespace {

// The height of one row, and of each further series within it.
constexpr double kRow = 24;
constexpr double kSeriesRow = 12;

constexpr double kSweepHeight = 240;

}  // namespace

Chart estimate_figure(std::span<const EstimatePoint> points, const EstimateFigureOptions& options) {
  AxisRange range(stat::Interval{0, 1});
  Chart chart{.series_title = options.series_title};
  ChartPanel panel;
  for (const EstimatePoint& point : points) {
    range.include(point.value);
    range.include(point.interval);
    add_once(panel.y.categories, point.label);
    series_of(chart, point.series);
  }
  panel.x = {.title = options.axis, .domain = range.domain()};
  panel.y.scale = ScaleKind::kCategory;
  if (options.reference) {
    panel.rules.push_back({true, options.reference->value, options.reference->meaning});
    set_ticks_around_half(panel.x);
  }
  // Intervals first: dots are drawn over them.
  for (const MarkKind kind : {MarkKind::kInterval, MarkKind::kDot}) {
    for (const EstimatePoint& point : points) {
      const auto ends = ends_of(kind, point.value, point.interval);
      if (!ends) continue;
      const auto row = static_cast<double>(add_once(panel.y.categories, point.label));
      mark_of(panel, kind, series_of(chart, point.series))
          .points.push_back({range.clamped(ends->low), row, range.clamped(ends->high), row,
                             kind == MarkKind::kInterval
                                 ? ""
                                 : point_text(point.label, point.series, options.axis,
                                              shown_estimate(point.value, point.interval))});
    }
  }
  // What is undefined is said, not left out: an empty row looks like a drawing that failed.
  for (const EstimatePoint& point : points) {
    if (point.value) continue;
    const auto row = static_cast<double>(add_once(panel.y.categories, point.label));
    mark_of(panel, MarkKind::kText, series_of(chart, point.series))
        .points.push_back({panel.x.domain.low, row, 0, 0, "n/a"});
  }
  const auto rows = static_cast<double>(std::max<size_t>(1, panel.y.categories.size()));
  const auto series = static_cast<double>(std::max<size_t>(1, chart.series.size()));
  panel.height = rows * (kRow + kSeriesRow * (series - 1));
  chart.panels.push_back(std::move(panel));
  return chart;
}

Chart sweep_figure(std::span<const SweepPoint> points, const SweepFigureOptions& options) {
  AxisRange x_range(std::nullopt);
  AxisRange y_range(std::nullopt);
  y_range.include(options.reference.value);
  Chart chart{.series_title = options.series_title};
  for (const SweepPoint& point : points) {
    x_range.include(point.x);
    y_range.include(point.value);
    y_range.include(point.interval);
    series_of(chart, point.series);
  }
  ChartPanel panel{.x = {.title = options.x_axis, .domain = x_range.domain(0.02)},
                   .y = {.title = "AUC", .domain = y_range.domain(0.05)},
                   .rules = {{false, options.reference.value, options.reference.meaning}},
                   .height = kSweepHeight};
  for (const MarkKind kind : {MarkKind::kBand, MarkKind::kLine, MarkKind::kDot}) {
    for (const SweepPoint& point : points) {
      const auto ends = ends_of(kind, point.value, point.interval);
      if (!ends) continue;
      ChartPoint drawn{point.x, y_range.clamped(ends->low), point.x, y_range.clamped(ends->high)};
      if (kind == MarkKind::kDot) {
        drawn.text = point_text(fmt::format("{} = {:g}", options.x_axis, point.x), point.series,
                                "AUC", shown_estimate(point.value, point.interval));
      }
      mark_of(panel, kind, series_of(chart, point.series)).points.push_back(std::move(drawn));
    }
  }
  chart.panels.push_back(std::move(panel));
  return chart;
}

}  // namespace palimpsest::report
