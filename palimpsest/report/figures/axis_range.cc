#include "palimpsest/report/internal/figures/axis_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "palimpsest/base/internal/table.h"

namespace palimpsest::report {

void AxisRange::include_number(double value) {
  if (!std::isfinite(value)) return;
  if (!range_) range_ = stat::Interval{value, value};
  range_ = stat::Interval{std::min(range_->low, value), std::max(range_->high, value)};
}

void AxisRange::include(const std::optional<double>& value) {
  if (value) include_number(*value);
}

void AxisRange::include(const std::optional<stat::Interval>& interval) {
  if (!interval) return;
  include_number(interval->low);
  include_number(interval->high);
}

double AxisRange::clamped(double value) const {
  if (!range_ || std::isnan(value)) return value;
  return std::clamp(value, range_->low, range_->high);
}

stat::Interval AxisRange::domain(double padding) const {
  if (!range_) return {0, 1};
  auto [low, high] = *range_;
  const double width = high - low;
  const double least = std::max(std::abs(low), std::abs(high)) / 1024;
  const double added = width > 0 && width * padding > 0 ? width * padding
                       : width > 0                      ? 0
                                                        : std::max(0.05, least);
  if (!std::isfinite(low - added) || !std::isfinite(high + added)) return {low, high};
  return {low - added, high + added};
}

std::optional<stat::Interval> ends_of(MarkKind kind, const std::optional<double>& value,
                                      const std::optional<stat::Interval>& interval) {
  if (kind == MarkKind::kBand || kind == MarkKind::kInterval) return interval;
  if (!value || std::isnan(*value)) return std::nullopt;
  return stat::Interval{*value, *value};
}

std::string shown_estimate(const std::optional<double>& value,
                           const std::optional<stat::Interval>& interval) {
  std::string text = value ? format_number(*value) : "n/a";
  if (interval) text += " (" + format_interval(interval->low, interval->high) + ")";
  return text;
}

std::string point_text(const std::string& name, const std::string& series, const std::string& axis,
                       const std::string& shown) {
  const std::string subject =
      name.empty() || series.empty() ? name + series : fmt::format("{}, {}", name, series);
  const std::string value = axis.empty() ? shown : fmt::format("{} {}", axis, shown);
  return subject.empty() ? value : fmt::format("{}: {}", subject, value);
}

size_t add_once(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  const auto position = static_cast<size_t>(found - names.begin());
  if (found == names.end()) names.push_back(name);
  return position;
}

ChartMark& mark_of(ChartPanel& panel, MarkKind kind, size_t series) {
  const auto found = std::ranges::find_if(panel.marks, [&](const ChartMark& mark) {
    return mark.kind == kind && mark.series == series;
  });
  if (found != panel.marks.end()) return *found;
  return panel.marks.emplace_back(ChartMark{.kind = kind, .series = series});
}

void set_ticks_around_half(ChartAxis& axis) {
  if (axis.domain == stat::Interval{0, 1}) axis.ticks = {0, 0.25, 0.5, 0.75, 1};
}

}  // namespace palimpsest::report
