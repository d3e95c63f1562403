#include "palimpsest/report/internal/chart/palette.h"

#include <gtest/gtest.h>

#include <set>

namespace palimpsest::report {
namespace {

TEST(PaletteTest, NoTwoStylesAreAlike) {
  std::set<std::string> styles;
  for (size_t style = 0; style < 70; ++style)
    EXPECT_TRUE(styles.insert(std::string(colour_of(style)) + dashes_of(style)).second) << style;
  EXPECT_EQ(dashes_of(6), "");
  EXPECT_EQ(colour_class(8), "s1");
}

TEST(PaletteTest, ASeriesLooksTheSameInAllFigures) {
  auto figure = [](const std::string& kind, const std::vector<std::string>& names) {
    Figure result;
    result.chart.series_title = kind;
    for (const std::string& name : names) series_of(result.chart, name);
    return result;
  };
  std::vector<Figure> figures = {figure("attack", {"loss", "zlib"}),
                                 figure("set", {"forget", "holdout"}),
                                 figure("attack", {"min_k", "zlib"})};
  share_styles(figures);
  EXPECT_EQ(figures[0].chart.series[1].style, 1U);
  EXPECT_EQ(figures[1].chart.series[1].style, 1U);
  EXPECT_EQ(figures[2].chart.series[0].style, 2U);
  EXPECT_EQ(figures[2].chart.series[1].style, 1U);
}

TEST(PaletteTest, AnAttackLooksTheSameWithAndWithoutParameters) {
  auto figure = [](const std::vector<std::string>& names) {
    Figure result;
    result.chart.series_title = "attack";
    for (const std::string& name : names) series_of(result.chart, name);
    return result;
  };
  std::vector<Figure> figures = {figure({"loss", "min_k:k=0.3"}), figure({"min_k"}),
                                 figure({"min_k:k=0.3", "min_k:k=0.4", "min_k"})};
  share_styles(figures);
  EXPECT_EQ(figures[0].chart.series[1].style, 1U);
  EXPECT_EQ(figures[1].chart.series[0].style, 1U);
  // Beside each other they must differ.
  std::set<size_t> styles;
  for (const ChartSeries& series : figures[2].chart.series) styles.insert(series.style);
  EXPECT_EQ(styles.size(), 3U);
  EXPECT_EQ(figures[2].chart.series[0].style, 1U);
}

TEST(PaletteTest, EveryVariableHasAFallBack) {
  const std::string rules = chart_style_sheet();
  for (const char* rule :
       {".s0{color:var(--s0,#0072b2)}", ".ink{color:var(--ink,", "prefers-color-scheme:dark"})
    EXPECT_NE(rules.find(rule), std::string::npos) << rule;
}

}  // namespace
}  // namespace palimpsest::report
