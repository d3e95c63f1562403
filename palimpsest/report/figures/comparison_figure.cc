#include "palimpsest/report/internal/figures/comparison_figure.h"

#include <algorithm>

#include "palimpsest/report/internal/figures/spec.h"

namespace palimpsest::report {
namespace {

// TAPAS' ranges, so that figures of different runs compare.
std::optional<stat::Interval> usual_range(const std::string& metric) {
  if (metric == "mia_advantage" || metric == "privacy_gain") return stat::Interval{-0.2, 1.2};
  if (metric == "effective_epsilon") return stat::Interval{0, 10};
  return stat::Interval{0, 1};
}

struct Names {
  std::vector<std::string> compared;
  std::vector<std::string> markers;
};

Json panel(const std::string& metric, std::span<const ComparisonPoint> points, const Names& names,
           const ComparisonFigureOptions& options) {
  AxisRange axis(usual_range(metric));
  for (const ComparisonPoint& point : points) {
    if (point.metric != metric) continue;
    axis.include(point.value);
    axis.include(point.interval);
  }
  Json rows = Json::array();
  for (const ComparisonPoint& point : points) {
    if (point.metric != metric) continue;
    Json row = {{"x", point.x}, {"marker", point.marker}};
    put_estimate(row, point.value, point.interval, axis);
    rows.push_back(std::move(row));
  }
  const bool last = metric == options.metrics.back();
  Json x = nominal("x", last ? options.x_axis : "", names.compared);
  x["scale"] = {{"domain", names.compared}};
  if (!last) x["axis"] = {{"labels", false}, {"title", nullptr}};
  Json y = quantitative("value", metric);
  set_domain(y, axis);
  Json low = y;
  low["field"] = "low";
  Json encoding = {{"x", x}, {"color", colour("marker", options.marker_title, names.markers)}};
  if (names.markers.size() > 1) encoding["xOffset"] = nominal("marker", "", names.markers);
  Json bar = encoding;
  bar["y"] = low;
  bar["y2"] = {{"field", "high"}};
  Json dot = encoding;
  dot["y"] = y;
  dot["tooltip"] = Json::array({{{"field", "x"}, {"title", options.x_axis}},
                                {{"field", "marker"}, {"title", options.marker_title}},
                                {{"field", "shown"}, {"title", metric}}});
  return {
      {"data", {{"values", std::move(rows)}}},
      {"width", options.size.width},
      {"height", options.size.height},
      {"layer",
       Json::array(
           {{{"mark", {{"type", "rule"}, {"strokeWidth", 3}, {"opacity", 0.7}}}, {"encoding", bar}},
            {{"mark", {{"type", "point"}, {"filled", true}, {"size", 50}}}, {"encoding", dot}}})}};
}

}  // namespace

std::string comparison_figure(std::span<const ComparisonPoint> points,
                              const ComparisonFigureOptions& options) {
  Names names;
  for (const ComparisonPoint& point : points) {
    add_once(names.compared, point.x);
    add_once(names.markers, point.marker);
  }
  std::sort(names.compared.begin(), names.compared.end());
  std::sort(names.markers.begin(), names.markers.end());
  Json panels = Json::array();
  for (const std::string& metric : options.metrics)
    panels.push_back(panel(metric, points, names, options));
  return figure_document(options.title, {{"vconcat", std::move(panels)}});
}

}  // namespace palimpsest::report
