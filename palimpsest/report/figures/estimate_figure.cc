#include "palimpsest/report/internal/figures/estimate_figure.h"

#include <vector>

#include "palimpsest/report/internal/figures/spec.h"

namespace palimpsest::report {
namespace {

// Pixels of one row, and of each further series within it.
constexpr int64_t kRow = 24;
constexpr int64_t kSeries = 12;

Json tooltip(const char* field, const std::string& title, const std::string& axis) {
  return Json::array({{{"field", field}, {"title", title}},
                      {{"field", "series"}, {"title", "series"}},
                      {{"field", "shown"}, {"title", axis}}});
}

}  // namespace

std::string estimate_figure(std::span<const EstimatePoint> points,
                            const EstimateFigureOptions& options) {
  AxisRange axis(options.domain);
  std::vector<std::string> labels;
  std::vector<std::string> series;
  for (const EstimatePoint& point : points) {
    axis.include(point.value);
    axis.include(point.interval);
    add_once(labels, point.label);
    add_once(series, point.series);
  }
  Json rows = Json::array();
  for (const EstimatePoint& point : points) {
    Json row = {{"label", point.label}, {"series", point.series}};
    put_estimate(row, point.value, point.interval, axis);
    rows.push_back(std::move(row));
  }
  Json x = quantitative("value", options.axis);
  set_domain(x, axis);
  Json low = x;
  low["field"] = "low";
  Json encoding = {{"y", nominal("label", "", labels)},
                   {"color", colour("series", options.series_title, series)}};
  if (series.size() > 1) encoding["yOffset"] = nominal("series", "", series);
  Json layers = Json::array();
  if (options.reference) layers.push_back(reference_rule("x", *options.reference));
  Json bar = encoding;
  bar["x"] = low;
  bar["x2"] = {{"field", "high"}};
  Json dot = encoding;
  dot["x"] = x;
  dot["tooltip"] = tooltip("label", "of", options.axis);
  layers.push_back({{"mark", {{"type", "rule"}, {"strokeWidth", 2}}}, {"encoding", bar}});
  layers.push_back(
      {{"mark", {{"type", "point"}, {"filled", true}, {"size", 60}}}, {"encoding", dot}});
  Json view = {{"data", {{"values", std::move(rows)}}}, {"layer", std::move(layers)}};
  FigureSize size = options.size;
  if (size.height == 0) {
    const auto count = static_cast<int64_t>(labels.size());
    const auto each = kRow + kSeries * (static_cast<int64_t>(series.size()) - 1);
    size.height = std::max<int64_t>(1, count) * each;
  }
  set_size(view, size);
  return figure_document(options.title, view);
}

std::string sweep_figure(std::span<const SweepPoint> points, const SweepFigureOptions& options) {
  AxisRange axis(options.domain);
  axis.include(options.reference);
  std::vector<std::string> series;
  bool any_interval = false;
  for (const SweepPoint& point : points) {
    axis.include(point.value);
    axis.include(point.interval);
    any_interval = any_interval || point.interval.has_value();
    add_once(series, point.series);
  }
  Json rows = Json::array();
  for (const SweepPoint& point : points) {
    Json row = {{"x", coordinate(point.x)}, {"series", point.series}};
    put_estimate(row, point.value, point.interval, axis);
    rows.push_back(std::move(row));
  }
  Json x = quantitative("x", options.x_axis);
  x["scale"] = {{"zero", false}};
  Json y = quantitative("value", options.y_axis);
  set_domain(y, axis);
  Json low = y;
  low["field"] = "low";
  const Json colours = colour("series", options.series_title, series);
  Json layers = Json::array();
  if (options.reference) layers.push_back(reference_rule("y", *options.reference));
  if (any_interval) {
    layers.push_back(
        {{"mark", {{"type", "area"}, {"opacity", 0.15}}},
         {"encoding", {{"x", x}, {"y", low}, {"y2", {{"field", "high"}}}, {"color", colours}}}});
  }
  layers.push_back({{"mark", {{"type", "line"}, {"point", true}}},
                    {"encoding",
                     {{"x", x},
                      {"y", y},
                      {"color", colours},
                      {"tooltip", tooltip("x", options.x_axis, options.y_axis)}}}});
  Json view = {{"data", {{"values", std::move(rows)}}}, {"layer", std::move(layers)}};
  set_size(view, options.size);
  return figure_document(options.title, view);
}

}  // namespace palimpsest::report
