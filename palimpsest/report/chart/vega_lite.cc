#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/chart/chart.h"
#include "palimpsest/report/internal/chart/palette.h"
#include "palimpsest/report/internal/chart/svg_parts.h"

namespace palimpsest::report {
namespace {

// Six significant digits: more than a pixel shows, at a third of the bytes. null where it is not
// finite.
Json coordinate(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

// A coordinate, or the name of a category.
Json value_on(const ChartAxis& axis, double value) {
  if (axis.scale != ScaleKind::kCategory) return coordinate(value);
  const auto category = static_cast<size_t>(std::llround(std::max(0.0, value)));
  return category < axis.categories.size() ? Json(axis.categories[category]) : Json(nullptr);
}

// A channel for "x" or "y".
Json channel_of(const char* field, const ChartAxis& axis) {
  Json channel = {{"field", field},
                  {"title", axis.title.empty() ? Json(nullptr) : Json(axis.title)}};
  if (axis.scale == ScaleKind::kCategory) {
    channel["type"] = "nominal";
    channel["sort"] = axis.categories;
    channel["scale"] = {{"domain", axis.categories}};
  } else {
    channel["type"] = "quantitative";
    channel["scale"] = {{"domain", {coordinate(axis.domain.low), coordinate(axis.domain.high)}},
                        {"nice", false}};
    if (axis.scale == ScaleKind::kLog) channel["scale"]["type"] = "log";
    if (!axis.ticks.empty()) channel["axis"] = {{"values", axis.ticks}, {"format", ".3~f"}};
  }
  if (!axis.has_labels) channel["axis"]["labels"] = false;
  return channel;
}

Json series_names(const Chart& chart) {
  Json names = Json::array();
  for (const ChartSeries& series : chart.series) names.push_back(series.name);
  return names;
}

// A channel that distinguishes series: their names, and what stands for each.
Json series_channel(const Chart& chart, Json range) {
  Json channel = {{"field", "series"},
                  {"type", "nominal"},
                  {"title", chart.series_title},
                  {"scale", {{"domain", series_names(chart)}, {"range", std::move(range)}}}};
  if (chart.series.size() < 2) channel["legend"] = nullptr;
  return channel;
}

Json colour_channel(const Chart& chart) {
  Json colours = Json::array();
  for (const ChartSeries& series : chart.series) colours.push_back(colour_of(series.style));
  return series_channel(chart, std::move(colours));
}

Json dash_channel(const Chart& chart) {
  Json dashes = Json::array();
  for (const ChartSeries& series : chart.series) {
    Json lengths = Json::array();
    const std::string text = dashes_of(series.style);
    for (const char* at = text.c_str(); *at != '\0';) {
      char* end = nullptr;
      lengths.push_back(std::strtol(at, &end, 10));
      at = end;
    }
    dashes.push_back(lengths.empty() ? Json::array({1, 0}) : lengths);
  }
  return series_channel(chart, std::move(dashes));
}

Json reference_mark(const char* type) {
  return {{"type", type}, {"style", "reference"}, {"clip", true}};
}

Json mark_of(MarkKind kind) {
  switch (kind) {
    case MarkKind::kBand:
      return {{"type", "area"}, {"opacity", 0.15}, {"clip", true}};
    case MarkKind::kBar:
      return {{"type", "bar"}, {"opacity", 0.55}, {"clip", true}};
    case MarkKind::kLine:
      return {{"type", "line"}, {"clip", true}};
    case MarkKind::kInterval:
      return {{"type", "rule"}, {"strokeWidth", 2}, {"opacity", 0.7}};
    case MarkKind::kDot:
      return {{"type", "point"}, {"filled", true}, {"size", 60}, {"opacity", 1}};
    case MarkKind::kText:
      return {{"type", "text"}, {"align", "left"}, {"dx", 6}, {"fontSize", 10}};
  }
  return nullptr;
}

// One row per point. `order` and `mark` keep lines in their order and apart.
void add_rows(const Chart& chart, const ChartPanel& panel, size_t number, Json& rows) {
  const ChartMark& mark = panel.marks[number];
  size_t order = 0;
  for (const ChartPoint& point : mark.points) {
    Json row = {{"x", value_on(panel.x, point.x)}, {"y", value_on(panel.y, point.y)}};
    if (mark.kind == MarkKind::kBar || mark.kind == MarkKind::kInterval)
      row["x2"] = value_on(panel.x, point.x2);
    if (mark.kind == MarkKind::kBand || mark.kind == MarkKind::kInterval)
      row["y2"] = value_on(panel.y, point.y2);
    row["series"] = chart.series[*mark.series].name;
    if (mark.kind == MarkKind::kLine || mark.kind == MarkKind::kBand) {
      row["mark"] = number;
      row["order"] = order++;
    }
    if (!point.text.empty()) row["text"] = point.text;
    rows.push_back(std::move(row));
  }
}

// The second ends that a kind of mark has, on the axes that measure.
void add_second_ends(MarkKind kind, const ChartPanel& panel, Json& encoding) {
  const bool has_x2 = kind == MarkKind::kBar || kind == MarkKind::kInterval;
  const bool has_y2 = kind == MarkKind::kBand || kind == MarkKind::kInterval;
  if (has_x2 && panel.x.scale != ScaleKind::kCategory) encoding["x2"] = {{"field", "x2"}};
  if (has_y2 && panel.y.scale != ScaleKind::kCategory) encoding["y2"] = {{"field", "y2"}};
}

Json encoding_of(const Chart& chart, const ChartPanel& panel, MarkKind kind) {
  Json encoding = {{"x", channel_of("x", panel.x)}, {"y", channel_of("y", panel.y)}};
  add_second_ends(kind, panel, encoding);
  if (kind == MarkKind::kBar) {
    encoding["x"]["bin"] = "binned";
    encoding["y"]["stack"] = nullptr;
  }
  encoding["color"] = colour_channel(chart);
  if (kind == MarkKind::kLine || kind == MarkKind::kBand) {
    encoding["detail"] = {{"field", "mark"}};
    encoding["order"] = {{"field", "order"}, {"type", "quantitative"}};
  } else {
    encoding[kind == MarkKind::kText ? "text" : "tooltip"] = {{"field", "text"},
                                                              {"type", "nominal"}};
  }
  const bool has_dashes = std::ranges::any_of(
      chart.series, [](const ChartSeries& series) { return series.style >= kColours; });
  if (kind == MarkKind::kLine && has_dashes) encoding["strokeDash"] = dash_channel(chart);
  for (const auto& [axis, offset] :
       {std::pair(&panel.x, "xOffset"), std::pair(&panel.y, "yOffset")}) {
    if (axis->scale != ScaleKind::kCategory || chart.series.size() < 2) continue;
    encoding[offset] = {{"field", "series"}, {"type", "nominal"}, {"sort", series_names(chart)}};
  }
  return encoding;
}

Json reference_layer(const ChartPanel& panel, const ChartMark& mark) {
  Json rows = Json::array();
  for (const ChartPoint& point : mark.points)
    rows.push_back(
        {{"x", coordinate(point.x)}, {"y", coordinate(point.y)}, {"text", mark.reference}});
  return {{"data", {{"values", std::move(rows)}}},
          {"mark", reference_mark("line")},
          {"encoding",
           {{"x", channel_of("x", panel.x)},
            {"y", channel_of("y", panel.y)},
            {"tooltip", {{"field", "text"}, {"type", "nominal"}}}}}};
}

// References first, then one layer per kind of mark in the order of their first appearance.
Json layers_of(const Chart& chart, const ChartPanel& panel) {
  Json layers = Json::array();
  for (const ChartRule& rule : panel.rules) {
    // With the scale, which else would be stretched to 0.
    Json channel = rule.is_vertical ? channel_of("x", panel.x) : channel_of("y", panel.y);
    channel.erase("field");
    channel["datum"] = rule.value;
    layers.push_back({{"mark", reference_mark("rule")},
                      {"encoding", {{rule.is_vertical ? "x" : "y", std::move(channel)}}}});
  }
  std::vector<MarkKind> kinds;
  for (const ChartMark& mark : panel.marks) {
    if (!mark.series) {
      layers.push_back(reference_layer(panel, mark));
    } else if (std::ranges::find(kinds, mark.kind) == kinds.end()) {
      kinds.push_back(mark.kind);
    }
  }
  for (const MarkKind kind : kinds) {
    Json rows = Json::array();
    for (size_t i = 0; i < panel.marks.size(); ++i) {
      if (panel.marks[i].series && panel.marks[i].kind == kind) add_rows(chart, panel, i, rows);
    }
    layers.push_back({{"data", {{"values", std::move(rows)}}},
                      {"mark", mark_of(kind)},
                      {"encoding", encoding_of(chart, panel, kind)}});
  }
  return layers;
}

Json view_of(const Chart& chart, const ChartPanel& panel) {
  Json view = Json::object();
  if (!panel.title.empty()) view["title"] = panel.title;
  view["width"] = kChartWidth - 60;
  view["height"] = panel.height;
  view["layer"] = layers_of(chart, panel);
  return view;
}

}  // namespace

std::string to_vega_lite(const Chart& chart) {
  Json document = {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
                   {"background", "transparent"}};
  if (!chart.title.empty()) document["title"] = chart.title;
  if (chart.panels.size() == 1 && chart.panels[0].title.empty()) {
    document.update(view_of(chart, chart.panels[0]));
  } else {
    Json views = Json::array();
    for (const ChartPanel& panel : chart.panels) views.push_back(view_of(chart, panel));
    document["vconcat"] = std::move(views);
  }
  document["config"] = {{"style",
                         {{"reference",
                           {{"color", tint_of("reference")},
                            {"strokeWidth", 1},
                            {"strokeDash", Json::array({4, 3})}}}}}};
  return to_text(document);
}

}  // namespace palimpsest::report
