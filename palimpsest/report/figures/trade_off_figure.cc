#include "palimpsest/report/internal/figures/trade_off_figure.h"

#include <cmath>
#include <vector>

#include "palimpsest/report/internal/figures/spec.h"

namespace palimpsest::report {
namespace {

// A rule along one axis, for the points that have an interval there.
Json interval_layer(const Json& along, const char* channel, const char* low, const char* high,
                    const Json& across, const char* other, const Json& colours) {
  Json from = along;
  from["field"] = low;
  return {{"mark", {{"type", "rule"}, {"opacity", 0.6}}},
          {"encoding",
           {{channel, from},
            {std::string(channel) + "2", {{"field", high}}},
            {other, across},
            {"color", colours}}}};
}

}  // namespace

std::string trade_off_figure(std::span<const TradeOffPoint> points,
                             const TradeOffFigureOptions& options) {
  AxisRange x_range(std::nullopt);
  AxisRange y_range(std::nullopt);
  x_range.include(options.x_goal);
  std::vector<std::string> labels;
  Json rows = Json::array();
  for (const TradeOffPoint& point : points) {
    if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
    x_range.include(point.x);
    x_range.include(point.x_interval);
    y_range.include(point.y);
    y_range.include(point.y_interval);
    add_once(labels, point.label);
    Json row = {{"label", point.label},
                {"x", coordinate(point.x)},
                {"y", coordinate(point.y)},
                {"x_shown", shown_estimate(point.x, point.x_interval)},
                {"y_shown", shown_estimate(point.y, point.y_interval)}};
    if (point.x_interval) {
      row["x_low"] = coordinate(point.x_interval->low);
      row["x_high"] = coordinate(point.x_interval->high);
    }
    if (point.y_interval) {
      row["y_low"] = coordinate(point.y_interval->low);
      row["y_high"] = coordinate(point.y_interval->high);
    }
    rows.push_back(std::move(row));
  }
  Json x = quantitative("x", options.x_axis);
  Json y = quantitative("y", options.y_axis);
  x["scale"] = {{"zero", false}, {"padding", 24}};
  y["scale"] = {{"zero", false}, {"padding", 24}};
  const Json colours = colour("label", "", labels);
  Json layers = Json::array();
  if (options.x_goal) layers.push_back(reference_rule("x", *options.x_goal));
  layers.push_back(interval_layer(x, "x", "x_low", "x_high", y, "y", colours));
  layers.push_back(interval_layer(y, "y", "y_low", "y_high", x, "x", colours));
  layers.push_back(
      {{"mark", {{"type", "point"}, {"filled", true}, {"size", 90}}},
       {"encoding",
        {{"x", x},
         {"y", y},
         {"color", colours},
         {"tooltip", Json::array({{{"field", "label"}, {"title", "model"}},
                                  {{"field", "x_shown"}, {"title", options.x_axis}},
                                  {{"field", "y_shown"}, {"title", options.y_axis}}})}}}});
  layers.push_back(
      {{"mark", {{"type", "text"}, {"align", "left"}, {"dx", 8}, {"dy", -8}}},
       {"encoding", {{"x", x}, {"y", y}, {"color", colours}, {"text", {{"field", "label"}}}}}});
  Json view = {{"data", {{"values", std::move(rows)}}}, {"layer", std::move(layers)}};
  set_size(view, options.size);
  return figure_document(options.title, view);
}

}  // namespace palimpsest::report
