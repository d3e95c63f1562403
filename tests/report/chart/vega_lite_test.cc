#include <gtest/gtest.h>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/chart/chart.h"

namespace palimpsest::report {
namespace {

Json document_of(const Chart& chart) {
  return parse_json(to_vega_lite(chart), "the chart");
}

// The layer with this type of mark.
Json layer_of(const Json& view, const std::string& type) {
  for (const Json& layer : view["layer"]) {
    if (layer["mark"]["type"] == type) return layer;
  }
  return nullptr;
}

Chart every_mark() {
  ChartPanel panel{.x = {.title = "rate", .domain = {0, 2}},
                   .y = {.title = "gain", .scale = ScaleKind::kLog, .domain = {0.01, 1}},
                   .height = 150};
  panel.rules = {{true, 0.5, "the goal"}};
  panel.marks = {
      {.kind = MarkKind::kLine, .reference = "guessing", .points = {{0, 0.1}, {1, 1}}},
      {.kind = MarkKind::kBand, .series = 0, .points = {{0.125, 0.1, 0.125, 0.5}}},
      {.kind = MarkKind::kBar, .series = 0, .points = {{0, 0.25, 1, 0, "bar"}}},
      {.kind = MarkKind::kLine, .series = 0, .points = {{0, 0.5}, {1, 0.75}}},
      {.kind = MarkKind::kLine, .series = 1, .points = {{0.25, 1}}},
      {.kind = MarkKind::kInterval, .series = 1, .points = {{0.1, 0.3, 0.6, 0.3, "i"}}},
      {.kind = MarkKind::kDot, .series = 1, .points = {{1.5, 0.123456789, 0, 0, "dot"}}}};
  return {.title = "t",
          .series_title = "attack",
          .series = {{"loss", 2}, {"zlib", 7}},
          .panels = {panel}};
}

TEST(VegaLiteTest, ADocumentWithDataAxesAndColours) {
  const Json document = document_of(every_mark());
  EXPECT_EQ(document["$schema"], "https://vega.github.io/schema/vega-lite/v5.json");
  EXPECT_EQ(document["title"], "t");
  EXPECT_EQ(document["height"], 150);
  const Json line = layer_of(document, "line");  // the reference
  EXPECT_EQ(line["mark"]["style"], "reference");
  EXPECT_EQ(document["config"]["style"]["reference"]["strokeDash"].size(), 2U);
  const Json dots = layer_of(document, "point");
  EXPECT_EQ(dots["data"]["values"][0]["y"], 0.123457) << "six digits";
  EXPECT_EQ(dots["data"]["values"][0]["text"], "dot");
  const Json& encoding = dots["encoding"];
  EXPECT_EQ(encoding["y"]["scale"]["type"], "log");
  EXPECT_EQ(encoding["x"]["scale"]["domain"], Json::array({0.0, 2.0}));
  EXPECT_EQ(encoding["x"]["title"], "rate");
  EXPECT_EQ(encoding["color"]["scale"]["domain"], Json::array({"loss", "zlib"}));
  EXPECT_EQ(encoding["color"]["scale"]["range"], Json::array({"#009e73", "#0072b2"}));
  EXPECT_EQ(encoding["color"]["title"], "attack");
}

TEST(VegaLiteTest, EveryKindOfMarkHasItsEnds) {
  const Json document = document_of(every_mark());
  const Json band = layer_of(document, "area");
  EXPECT_EQ(band["data"]["values"][0]["y2"], 0.5);
  EXPECT_EQ(band["encoding"]["y2"]["field"], "y2");
  const Json bar = layer_of(document, "bar");
  EXPECT_EQ(bar["data"]["values"][0]["x2"], 1.0);
  EXPECT_EQ(bar["encoding"]["x"]["bin"], "binned");
  EXPECT_TRUE(bar["encoding"]["y"]["stack"].is_null());
  const Json& last = document["layer"];
  const Json& interval = last[last.size() - 2];
  EXPECT_EQ(interval["mark"]["type"], "rule");
  EXPECT_EQ(interval["data"]["values"][0]["x2"], 0.6);
  const Json& rule = last[0];
  EXPECT_EQ(rule["encoding"]["x"]["datum"], 0.5);
}

TEST(VegaLiteTest, LinesKeepTheirOrderAndStayApart) {
  const Json document = document_of(every_mark());
  for (const Json& layer : document["layer"]) {
    if (layer["mark"]["type"] != "line" || layer["mark"].contains("style")) continue;
    const Json& rows = layer["data"]["values"];
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[1]["order"], 1);
    EXPECT_EQ(rows[2]["order"], 0);
    EXPECT_NE(rows[1]["mark"], rows[2]["mark"]);
    EXPECT_EQ(layer["encoding"]["detail"]["field"], "mark");
    // The eighth style has the first colour, dashed.
    EXPECT_EQ(layer["encoding"]["strokeDash"]["scale"]["range"],
              Json::array({Json::array({1, 0}), Json::array({7, 3})}));
    return;
  }
  FAIL() << "no lines";
}

TEST(VegaLiteTest, CategoriesAreNamesInTheirOrder) {
  ChartPanel panel{.y = {.scale = ScaleKind::kCategory, .categories = {"b", "a"}}};
  panel.x.ticks = {0, 0.5, 1};
  panel.marks = {{.kind = MarkKind::kDot, .series = 1, .points = {{0.5, 1}}}};
  const Json document = document_of({.series = {{"m", 0}, {"n", 1}}, .panels = {panel, panel}});
  ASSERT_EQ(document["vconcat"].size(), 2U);
  const Json dots = layer_of(document["vconcat"][1], "point");
  EXPECT_EQ(dots["data"]["values"][0]["y"], "a");
  EXPECT_EQ(dots["encoding"]["y"]["sort"], Json::array({"b", "a"}));
  EXPECT_EQ(dots["encoding"]["yOffset"]["sort"], Json::array({"m", "n"}));
  EXPECT_EQ(dots["encoding"]["x"]["axis"]["values"], Json::array({0.0, 0.5, 1.0}));
}

}  // namespace
}  // namespace palimpsest::report
