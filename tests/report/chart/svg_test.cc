// What is drawn, read back from the SVG.
#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/report/chart/chart.h"
#include "palimpsest/report/internal/chart/text_fit.h"
#include "tests/report/chart/svg_reader.h"
#include "tests/support/expect_error.h"

namespace palimpsest::report {
namespace {

// Half a hundredth of a unit, on an axis of a few hundred units.
constexpr double kRounding = 1e-4;

Chart one_panel(ChartPanel panel, std::vector<ChartSeries> series = {{"a", 0}}) {
  return {.title = "t", .series = std::move(series), .panels = {std::move(panel)}};
}

SvgElement only(const std::string& svg, const std::string& name) {
  const std::vector<SvgElement> found = elements_of_class(svg, name);
  EXPECT_EQ(found.size(), 1U) << name;
  return found.empty() ? SvgElement() : found[0];
}

TEST(SvgTest, LinesRunThroughTheirPoints) {
  ChartPanel panel{.x = {.domain = {0, 2}}, .y = {.domain = {-1, 1}}};
  panel.marks = {{.kind = MarkKind::kLine, .series = 0, .points = {{0, -1}, {0.7, 0.31}, {2, 1}}}};
  const std::string svg = to_svg(one_panel(panel));
  const SvgElement frame = only(svg, "panel");
  const auto corners = path_corners(only(svg, "curve").attributes["d"]);
  ASSERT_EQ(corners.size(), 3U);
  for (size_t i = 0; i < corners.size(); ++i) {
    EXPECT_NEAR(SvgScale(frame, "x").value(corners[i].first), panel.marks[0].points[i].x,
                kRounding);
    EXPECT_NEAR(SvgScale(frame, "y").value(corners[i].second), panel.marks[0].points[i].y,
                kRounding);
  }
  EXPECT_EQ(only(svg, "curve").title, "a");
}

TEST(SvgTest, LogarithmicAxesGiveEachDecadeTheSameRoom) {
  const ChartAxis axis{.scale = ScaleKind::kLog, .domain = {0.001, 1}};
  ChartPanel panel{.x = axis, .y = axis};
  panel.marks = {{.kind = MarkKind::kLine,
                  .series = 0,
                  .points = {{0.001, 0.001}, {0.01, 0.1}, {0.5, 1}, {0, 0}}}};
  const std::string svg = to_svg(one_panel(panel));
  const SvgElement frame = only(svg, "panel");
  const auto corners = path_corners(only(svg, "curve").attributes["d"]);
  ASSERT_EQ(corners.size(), 4U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(SvgScale(frame, "x").value(corners[i].first) / panel.marks[0].points[i].x, 1, 2e-4);
    EXPECT_NEAR(SvgScale(frame, "y").value(corners[i].second) / panel.marks[0].points[i].y, 1,
                2e-4);
  }
  EXPECT_EQ(corners[3], corners[0]) << "0 stands at the edge";
}

TEST(SvgTest, BandsGoThereAndBack) {
  ChartPanel panel;
  panel.marks = {
      {.kind = MarkKind::kBand, .series = 0, .points = {{0, 0.1, 0, 0.3}, {1, 0.2, 1, 0.9}}}};
  const std::string svg = to_svg(one_panel(panel));
  const SvgElement frame = only(svg, "panel");
  const auto corners = path_corners(only(svg, "band").attributes["d"]);
  ASSERT_EQ(corners.size(), 4U);
  const double expected[4][2] = {{1, 0.9}, {0, 0.3}, {0, 0.1}, {1, 0.2}};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(SvgScale(frame, "x").value(corners[i].first), expected[i][0], kRounding);
    EXPECT_NEAR(SvgScale(frame, "y").value(corners[i].second), expected[i][1], kRounding);
  }
}

TEST(SvgTest, BarsStandOnZero) {
  ChartPanel panel{.x = {.domain = {-2, 2}}, .y = {.domain = {0, 0.5}}};
  panel.marks = {{.kind = MarkKind::kBar,
                  .series = 0,
                  .points = {{-1, 0.25, 0, 0, "25%"}, {0, 0.5, 1.5, 0, "50%"}}}};
  const std::string svg = to_svg(one_panel(panel));
  const SvgElement frame = only(svg, "panel");
  const std::vector<SvgElement> bars = elements_of_class(svg, "bar");
  ASSERT_EQ(bars.size(), 2U);
  for (size_t i = 0; i < bars.size(); ++i) {
    const ChartPoint& point = panel.marks[0].points[i];
    const double x = bars[i].number("x");
    const double y = bars[i].number("y");
    EXPECT_NEAR(SvgScale(frame, "x").value(x), point.x, kRounding);
    EXPECT_NEAR(SvgScale(frame, "x").value(x + bars[i].number("width")), point.x2, 2 * kRounding);
    EXPECT_NEAR(SvgScale(frame, "y").value(y), point.y, kRounding);
    EXPECT_NEAR(SvgScale(frame, "y").value(y + bars[i].number("height")), 0, 2 * kRounding);
    EXPECT_EQ(bars[i].title, point.text);
  }
}

TEST(SvgTest, SeriesStandBesideEachOtherOnCategories) {
  ChartPanel panel{.y = {.scale = ScaleKind::kCategory, .categories = {"row 1", "row 2"}}};
  panel.marks = {{.kind = MarkKind::kInterval, .series = 0, .points = {{0.1, 1, 0.6, 1}}},
                 {.kind = MarkKind::kDot, .series = 0, .points = {{0.5, 0, 0, 0, "first"}}},
                 {.kind = MarkKind::kDot, .series = 1, .points = {{0.75, 0}}}};
  const std::string svg = to_svg(one_panel(panel, {{"a", 0}, {"b", 8}}));
  const SvgElement frame = only(svg, "panel");
  const SvgElement interval = only(svg, "extent");
  EXPECT_NEAR(SvgScale(frame, "x").value(interval.number("x1")), 0.1, kRounding);
  EXPECT_NEAR(SvgScale(frame, "x").value(interval.number("x2")), 0.6, kRounding);
  EXPECT_EQ(interval.number("y1"), interval.number("y2"));
  std::vector<SvgElement> dots;
  for (const SvgElement& dot : elements_of_class(svg, "dot")) {
    if (dot.panel > 0) dots.push_back(dot);
  }
  ASSERT_EQ(dots.size(), 2U);
  EXPECT_NEAR(SvgScale(frame, "x").value(dots[0].number("cx")), 0.5, kRounding);
  EXPECT_EQ(dots[0].title, "first");
  EXPECT_EQ(dots[1].name, "rect") << "another shape: style 8 has the colour of style 1";
  EXPECT_GT(dots[1].number("y") + 4, dots[0].number("cy"));
  EXPECT_GT(interval.number("y1"), dots[1].number("y") + 8) << "the second row is below";
}

TEST(SvgTest, RulesAndReferencesAreNamedInTheLegend) {
  ChartPanel panel;
  panel.rules = {{true, 0.5, "the goal"}};
  panel.marks = {{.kind = MarkKind::kLine, .reference = "guessing", .points = {{0, 0}, {1, 1}}}};
  const std::string svg = to_svg(one_panel(panel));
  const SvgElement frame = only(svg, "panel");
  const std::vector<SvgElement> rules = elements_of_class(svg, "rule");
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_NE(rules[0].attributes.at("stroke-dasharray"), rules[1].attributes.at("stroke-dasharray"));
  const auto ends = path_corners(rules[0].attributes.at("d"));
  EXPECT_NEAR(SvgScale(frame, "x").value(ends[0].first), 0.5, kRounding);
  EXPECT_NEAR(SvgScale(frame, "y").value(ends[0].second), 1, kRounding);
  EXPECT_NEAR(SvgScale(frame, "y").value(ends[1].second), 0, kRounding);
  const std::vector<std::string> texts = svg_texts(svg);
  for (const char* text : {"the goal", "guessing", "a"})
    EXPECT_NE(std::find(texts.begin(), texts.end(), text), texts.end()) << text;
}

// A chart with every kind of mark, with names of any length and values far outside.
Chart crowded_chart(size_t names) {
  Chart chart{.title = std::string(300, 'W') + " and words", .overlap = "where the two overlap"};
  std::vector<std::string> categories;
  for (size_t i = 0; i < names; ++i) {
    chart.series.push_back({"a name that is far too long for a legend " + std::to_string(i), i});
    categories.push_back("a category with a long name, number " + std::to_string(i));
  }
  ChartPanel lines{.title = std::string(200, 'x'),
                   .x = {.title = std::string(200, 'y'), .domain = {0, 1e-7}}};
  lines.marks = {
      {.kind = MarkKind::kLine, .series = 0, .points = {{-5, -1e300}, {1, 1e300}, {NAN, 0}}},
      {.kind = MarkKind::kBand, .series = 1, .points = {{-1, -1, 0, 2}, {2, -1, 0, 2}}},
      {.kind = MarkKind::kBar, .series = 1, .points = {{-1, 3, 2, 0}}},
      {.kind = MarkKind::kInterval, .series = 0, .points = {{-9, 9, 9, -9}}},
      {.kind = MarkKind::kDot, .series = 0, .points = {{-9, 9}, {9, -9}}}};
  ChartPanel rows = lines;
  rows.y = {.scale = ScaleKind::kCategory, .categories = categories};
  rows.marks = {{.kind = MarkKind::kDot, .series = 0, .points = {{0, 0}}}};
  ChartPanel columns = rows;
  std::swap(columns.x, columns.y);
  columns.y = {.title = std::string(200, 'z'), .domain = {123456, 123457}};
  columns.marks = {};
  chart.panels = {lines, rows, columns};
  return chart;
}

TEST(SvgTest, NothingLiesOutsideTheDrawing) {
  for (const size_t names : {2, 9, 60}) {
    const std::string svg = to_svg(crowded_chart(names));
    const SvgElement root = svg_elements(svg)[0];
    const double width = root.number("width") - 10;
    const double height = root.number("height") - 10;
    for (const SvgElement& element : svg_elements(svg)) {
      for (const char* x : {"x", "x1", "x2", "cx"}) {
        if (element.name != "svg" && element.attributes.contains(x)) {
          EXPECT_GE(element.number(x), -10) << element.name;
          EXPECT_LE(element.number(x) + (element.name == "rect" ? element.number("width") : 0),
                    width + 1e-9);
        }
      }
      if (element.attributes.contains("d")) {
        for (const auto& [x, y] : path_corners(element.attributes.at("d"))) {
          EXPECT_GE(x, 0);
          EXPECT_LE(x, width);
          EXPECT_GE(y, 0);
          EXPECT_LE(y, height);
        }
      }
    }
  }
}

// From the left to the right end of a text, by the table of widths.
std::pair<double, double> extent(const SvgElement& text) {
  const double width = drawn_width(text.text, 12);
  const auto anchor = text.attributes.find("text-anchor");
  const double x = text.number("x");
  if (anchor == text.attributes.end()) return {x, x + width};
  return anchor->second == "end" ? std::pair(x - width, x)
                                 : std::pair(x - width / 2, x + width / 2);
}

TEST(SvgTest, TextsOfOneLineDoNotOverlap) {
  for (const size_t names : {2, 5, 9, 60}) {
    std::map<double, std::vector<std::pair<double, double>>> lines;
    for (const SvgElement& element : svg_elements(to_svg(crowded_chart(names), SvgUse::kPage))) {
      if (element.name != "text") continue;
      const auto [left, right] = extent(element);
      EXPECT_GE(left, -1e-9) << element.text;
      EXPECT_LE(right, 400 + 1e-9) << element.text;
      for (const auto& [other_left, other_right] : lines[element.number("y")])
        EXPECT_TRUE(right <= other_left || left >= other_right) << element.text;
      lines[element.number("y")].emplace_back(left, right);
    }
  }
}

TEST(SvgTest, ShortenedNamesAreWholeUnderThePointer) {
  const std::string svg = to_svg(crowded_chart(3));
  bool is_found = false;
  for (const SvgElement& element : svg_elements(svg)) {
    if (element.name != "text" || element.title.empty()) continue;
    EXPECT_NE(element.text.find("…"), std::string::npos);
    is_found = is_found || element.title == "a category with a long name, number 2";
  }
  EXPECT_TRUE(is_found);
}

TEST(SvgTest, TextStaysText) {
  const std::string attack = "</text><script>alert(1)</script>\"' onload='x' & \x01\u202E";
  ChartPanel panel{.title = attack,
                   .x = {.title = attack, .scale = ScaleKind::kCategory, .categories = {attack}},
                   .y = {.title = attack}};
  panel.rules = {{true, 0, attack}};
  panel.marks = {{.kind = MarkKind::kDot, .series = 0, .points = {{0, 0.5, 0, 0, attack}}},
                 {.kind = MarkKind::kLine, .reference = attack, .points = {{0, 0}, {0, 1}}}};
  Chart chart = one_panel(panel, {{attack, 0}, {"b", 1}});
  chart.title = chart.overlap = attack;
  for (const SvgUse use : {SvgUse::kFile, SvgUse::kPage}) {
    const std::string svg = to_svg(chart, use);
    EXPECT_EQ(svg.find("<script"), std::string::npos);
    EXPECT_EQ(svg.find("onload='"), std::string::npos);
    EXPECT_EQ(svg.find("\"' on"), std::string::npos);
    EXPECT_EQ(svg.find('\x01'), std::string::npos);
    EXPECT_EQ(svg.find("\u202E"), std::string::npos);
    EXPECT_EQ(svg.find(" style="), std::string::npos);
    expect_contains(svg, "&lt;/text&gt;&lt;script&gt;alert(1)");
  }
}

TEST(SvgTest, AFileHasTitleGroundAndRulesAndAPageHasNone) {
  const Chart chart = one_panel({});
  EXPECT_EQ(to_svg(chart), to_svg(chart));
  expect_contains(to_svg(chart), "<title>t</title>");
  expect_contains(to_svg(chart), "<style>.s0{color:var(--s0,#0072b2)}");
  const std::string inlined = to_svg(chart, SvgUse::kPage);
  EXPECT_EQ(inlined.find("<style"), std::string::npos);
  EXPECT_EQ(inlined.find("<title>t"), std::string::npos);
  EXPECT_TRUE(inlined.starts_with("<svg xmlns="));
}

TEST(SvgTest, OverlappingSetsAreExplained) {
  ChartPanel panel;
  panel.marks = {{.kind = MarkKind::kBar, .series = 0, .points = {{0, 0.5, 1, 0}}}};
  Chart chart = one_panel(panel, {{"forget", 0}, {"holdout", 1}});
  chart.overlap = "where the two overlap";
  const std::vector<std::string> texts = svg_texts(to_svg(chart, SvgUse::kPage));
  EXPECT_EQ((std::vector<std::string>{texts[0], texts[1], texts[2]}),
            (std::vector<std::string>{"forget", "holdout", "where the two overlap"}));
}

TEST(SvgTest, NothingIsDrawnOfNothing) {
  for (const SvgUse use : {SvgUse::kFile, SvgUse::kPage}) {
    EXPECT_TRUE(to_svg({}, use).ends_with("</svg>\n"));
    EXPECT_TRUE(to_svg(one_panel({}, {}), use).ends_with("</svg>\n"));
  }
}

}  // namespace
}  // namespace palimpsest::report
