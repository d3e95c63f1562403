#include "palimpsest/report/internal/figures/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "palimpsest/base/table.h"

namespace palimpsest::report {
namespace {

// Okabe and Ito's colours without black, white's neighbour yellow put last: to be told apart by
// colour-blind readers, on a light and on a dark ground.
Json config() {
  const char* kReference = "#8a8a8a";
  return {{"range",
           {{"category", Json::array({"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                      "#56b4e9", "#999999"})}}},
          {"style",
           {{"reference",
             {{"color", kReference}, {"strokeWidth", 1}, {"strokeDash", Json::array({4, 3})}}}}}};
}

}  // namespace

std::string figure_document(const std::string& title, const Json& view) {
  Json document = {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
                   {"background", "transparent"}};
  if (!title.empty()) document["title"] = title;
  for (const auto& [key, value] : view.items()) document[key] = value;
  document["config"] = config();
  return to_text(document);
}

void set_size(Json& view, const FigureSize& size) {
  view["width"] = size.fill_container ? Json("container") : Json(size.width);
  view["height"] = size.height;
}

Json coordinate(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

std::string shown_estimate(const std::optional<double>& value,
                           const std::optional<stat::Interval>& interval) {
  std::string text = value ? format_number(*value) : "n/a";
  if (interval) text += " (" + format_interval(interval->low, interval->high) + ")";
  return text;
}

Json quantitative(const char* field, const std::string& title) {
  return {{"field", field}, {"type", "quantitative"}, {"title", title}};
}

Json nominal(const char* field, const std::string& title, const std::vector<std::string>& order) {
  return {{"field", field}, {"type", "nominal"}, {"title", title}, {"sort", order}};
}

Json colour(const char* field, const std::string& title, const std::vector<std::string>& order) {
  Json channel = {
      {"field", field}, {"type", "nominal"}, {"title", title}, {"scale", {{"domain", order}}}};
  if (order.size() < 2) channel["legend"] = nullptr;
  return channel;
}

Json reference_rule(const char* channel, double value) {
  return {{"mark", {{"type", "rule"}, {"style", "reference"}}},
          {"encoding", {{channel, {{"datum", value}}}}}};
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

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

void put_estimate(Json& row, const std::optional<double>& value,
                  const std::optional<stat::Interval>& interval, const AxisRange& axis) {
  if (value) row["value"] = coordinate(axis.clamped(*value));
  if (interval) {
    row["low"] = coordinate(axis.clamped(interval->low));
    row["high"] = coordinate(axis.clamped(interval->high));
  }
  row["shown"] = shown_estimate(value, interval);
}

void set_domain(Json& channel, const AxisRange& axis) {
  const std::optional<stat::Interval>& range = axis.range();
  if (!range || !(range->low < range->high)) {
    channel["scale"] = {{"zero", false}};
    return;
  }
  channel["scale"] = {{"domain", Json::array({coordinate(range->low), coordinate(range->high)})},
                      {"nice", false}};
}

}  // namespace palimpsest::report
