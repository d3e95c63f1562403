#include "palimpsest/report/internal/figures/trade_off_figure.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "palimpsest/report/internal/figures/axis_range.h"

namespace palimpsest::report {
namespace {

constexpr double kTradeOffHeight = 280;
constexpr double kTradeOffPadding = 0.08;  // of the data's range, on each side

// The point with its intervals.
void add_point(const TradeOffPoint& point, const TradeOffFigureOptions& options, Chart& chart,
               ChartPanel& panel) {
  const size_t series = series_of(chart, point.label);
  const std::string text = fmt::format("{}: {} {}, {} {}", point.label, options.x_axis,
                                       shown_estimate(point.x, point.x_interval), options.y_axis,
                                       shown_estimate(point.y, point.y_interval));
  auto clamped = [](const ChartAxis& axis, const stat::Interval& interval) {
    const AxisRange range(axis.domain);
    return stat::Interval{range.clamped(interval.low), range.clamped(interval.high)};
  };
  if (point.x_interval) {
    const auto [low, high] = clamped(panel.x, *point.x_interval);
    mark_of(panel, MarkKind::kInterval, series).points.push_back({low, point.y, high, point.y});
  }
  if (point.y_interval) {
    const auto [low, high] = clamped(panel.y, *point.y_interval);
    mark_of(panel, MarkKind::kInterval, series).points.push_back({point.x, low, point.x, high});
  }
  mark_of(panel, MarkKind::kDot, series)
      .points.push_back({point.x, point.y, point.x, point.y, text});
}

}  // namespace

Chart trade_off_figure(std::span<const TradeOffPoint> points,
                       const TradeOffFigureOptions& options) {
  AxisRange x_range(std::nullopt);
  AxisRange y_range(std::nullopt);
  if (options.x_goal) x_range.include(options.x_goal->value);
  auto is_placed = [](const TradeOffPoint& point) {
    return std::isfinite(point.x) && std::isfinite(point.y);
  };
  for (const TradeOffPoint& point : points) {
    if (!is_placed(point)) continue;
    x_range.include(point.x);
    x_range.include(point.x_interval);
    y_range.include(point.y);
    y_range.include(point.y_interval);
  }
  Chart chart{.series_title = "model"};
  ChartPanel panel{.x = {.title = options.x_axis, .domain = x_range.domain(kTradeOffPadding)},
                   .y = {.title = options.y_axis, .domain = y_range.domain(kTradeOffPadding)},
                   .height = kTradeOffHeight};
  if (options.x_goal) panel.rules.push_back({true, options.x_goal->value, options.x_goal->meaning});
  for (const TradeOffPoint& point : points) {
    if (is_placed(point)) add_point(point, options, chart, panel);
  }
  chart.panels.push_back(std::move(panel));
  return chart;
}

}  // namespace palimpsest::report
