#include "palimpsest/report/internal/figures/comparison_figure.h"

#include <algorithm>
#include <utility>

#include "palimpsest/report/internal/figures/axis_range.h"

namespace palimpsest::report {
namespace {

constexpr double kComparisonHeight = 110;

// TAPAS' ranges, so that figures of different runs compare.
stat::Interval usual_range(const std::string& metric) {
  if (metric == "mia_advantage" || metric == "privacy_gain") return {-0.2, 1.2};
  if (metric == "effective_epsilon") return {0, 10};
  return {0, 1};
}

ChartPanel metric_panel(const std::string& metric, std::span<const ComparisonPoint> points,
                        const ComparisonFigureOptions& options, Chart& chart,
                        std::vector<std::string> compared) {
  AxisRange range(usual_range(metric));
  for (const ComparisonPoint& point : points) {
    if (point.metric != metric) continue;
    range.include(point.value);
    range.include(point.interval);
  }
  const bool is_last = metric == options.metrics.back();
  ChartPanel panel{.x = {.title = is_last ? options.x_axis : "",
                         .scale = ScaleKind::kCategory,
                         .categories = std::move(compared),
                         .has_labels = is_last},
                   .y = {.title = metric, .domain = range.domain()},
                   .height = kComparisonHeight};
  for (const MarkKind kind : {MarkKind::kInterval, MarkKind::kDot}) {
    for (const ComparisonPoint& point : points) {
      const auto ends = ends_of(kind, point.value, point.interval);
      if (point.metric != metric || !ends) continue;
      const auto column = static_cast<double>(add_once(panel.x.categories, point.x));
      mark_of(panel, kind, series_of(chart, point.marker))
          .points.push_back({column, range.clamped(ends->low), column, range.clamped(ends->high),
                             kind == MarkKind::kInterval
                                 ? ""
                                 : point_text(point.x, point.marker, metric,
                                              shown_estimate(point.value, point.interval))});
    }
  }
  return panel;
}

}  // namespace

Chart comparison_figure(std::span<const ComparisonPoint> points,
                        const ComparisonFigureOptions& options) {
  std::vector<std::string> compared;
  std::vector<std::string> markers;
  for (const ComparisonPoint& point : points) {
    add_once(compared, point.x);
    add_once(markers, point.marker);
  }
  std::ranges::sort(compared);
  std::ranges::sort(markers);
  Chart chart{.series_title = options.marker_title};
  for (const std::string& marker : markers) series_of(chart, marker);
  for (const std::string& metric : options.metrics)
    chart.panels.push_back(metric_panel(metric, points, options, chart, compared));
  return chart;
}

}  // namespace palimpsest::report
