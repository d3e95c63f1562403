// What all kinds of figures must hold, and what each shows.
#include "palimpsest/report/figures/figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/chart/chart.h"
#include "palimpsest/report/internal/figures/comparison_figure.h"
#include "palimpsest/report/internal/figures/distribution_figure.h"
#include "palimpsest/report/internal/figures/estimate_figure.h"
#include "palimpsest/report/internal/figures/roc_figure.h"
#include "palimpsest/report/internal/figures/trade_off_figure.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::report {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The points of all marks of a kind, in order.
std::vector<ChartPoint> points_of(const ChartPanel& panel, MarkKind kind) {
  std::vector<ChartPoint> points;
  for (const ChartMark& mark : panel.marks) {
    if (mark.kind == kind && mark.series)
      points.insert(points.end(), mark.points.begin(), mark.points.end());
  }
  return points;
}

const char* const kHostile = "</script><b>\"'{{[x]}}.y";

// A chart that can be drawn in every way, and in which no text from data is markup.
void expect_drawn(const Chart& chart) {
  for (const std::string& svg : {to_svg(chart), to_svg(chart, SvgUse::kPage)}) {
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
    EXPECT_EQ(svg.find("</script>"), std::string::npos);
  }
  EXPECT_TRUE(parse_json(to_vega_lite(chart), "the figure").contains("$schema"));
}

TEST(FiguresTest, EveryKindIsDrawn) {
  const stat::LabelledScores scores{{1, 2, 3}, {0, 1, 2}};
  const RocLine line{kHostile, &scores};
  expect_drawn(roc_figure({&line, 1}));
  expect_drawn(roc_figure({&line, 1}, {.log_log = true, .epsilons = {1}}));
  const ScoreSet set{kHostile, kHostile, scores.positives};
  expect_drawn(distribution_figure({&set, 1}));
  const EstimatePoint estimate{kHostile, kHostile, 0.5, stat::Interval{0.4, 0.6}};
  expect_drawn(estimate_figure({&estimate, 1}));
  const SweepPoint sweep{0.1, kHostile, 0.5, stat::Interval{0.4, 0.6}};
  expect_drawn(sweep_figure({&sweep, 1}));
  const TradeOffPoint model{kHostile, 0.5, 0.5, stat::Interval{0.4, 0.6}, stat::Interval{0.4, 0.6}};
  expect_drawn(trade_off_figure({&model, 1}));
  const ComparisonPoint point{"auc", kHostile, kHostile, 0.5, stat::Interval{0.4, 0.6}};
  expect_drawn(comparison_figure(
      {&point, 1}, {.x_axis = "attack", .marker_title = "generator", .metrics = {"auc"}}));
}

TEST(FiguresTest, EveryKindOfNothingIsDrawn) {
  expect_drawn(roc_figure({}));
  expect_drawn(distribution_figure({}));
  expect_drawn(estimate_figure({}));
  expect_drawn(sweep_figure({}));
  expect_drawn(trade_off_figure({}));
  expect_drawn(comparison_figure({}, {}));
}

TEST(FiguresTest, NamesAreSafeFileNames) {
  EXPECT_EQ(figure_name("roc_zoom=0.1_low"), "roc_zoom=0.1_low");
  EXPECT_EQ(figure_name("a/b\\c d\xC3\xA9\n"), "a-b-c-d---");
  EXPECT_EQ(figure_name("../x"), "-.-x");
  EXPECT_EQ(figure_name(""), "none");
  EXPECT_EQ(figure_name(std::string(1000, 'x')).size(), 60U);
}

TEST(FiguresTest, AreWrittenAsSvgAndVegaLite) {
  const TempFolder folder;
  const Figure figure{.name = "roc_zoom=0.1", .chart = roc_figure({})};
  EXPECT_EQ(write_figures({&figure, 1}, folder.path()),
            (std::vector<std::string>{"figures/roc_zoom=0.1.svg", "figures/roc_zoom=0.1.vl.json"}));
  EXPECT_EQ(read_file(folder.path() / "figures/roc_zoom=0.1.svg"), to_svg(figure.chart));
  EXPECT_EQ(read_file(folder.path() / "figures/roc_zoom=0.1.vl.json"), to_vega_lite(figure.chart));
}

TEST(DistributionFigureTest, BarsAreSharesOfTheirSet) {
  const std::vector<double> forget = {0, 0, 1, 4};
  const std::vector<double> holdout = {4, NAN};
  const ScoreSet sets[] = {{"loss", "forget", forget}, {"loss", "holdout", holdout}};
  const Chart chart = distribution_figure(sets, {.bins = 4});
  ASSERT_EQ(chart.panels.size(), 1U);
  const std::vector<ChartPoint> bars = points_of(chart.panels[0], MarkKind::kBar);
  ASSERT_EQ(bars.size(), 4U);
  EXPECT_EQ(bars[0].y, 0.5);
  EXPECT_EQ(bars[1].x, 1.0);
  EXPECT_EQ(bars[1].y, 0.25);
  EXPECT_EQ(bars[3].x2, 4.0);
  EXPECT_EQ(bars[3].y, 1.0);
  EXPECT_EQ(bars[3].text, "holdout: 100% between 3 and 4");
  EXPECT_EQ(chart.panels[0].marks[1].series, 1U);
  EXPECT_EQ(chart.overlap, "where the two overlap");
}

TEST(DistributionFigureTest, OnePanelPerAttackWithItsOwnAxis) {
  const std::vector<double> low = {1, 2};
  const std::vector<double> high = {10, 20};
  const ScoreSet sets[] = {{"b", "forget", low}, {"a", "forget", high}};
  const Chart chart = distribution_figure(sets);
  ASSERT_EQ(chart.panels.size(), 2U);
  EXPECT_EQ(chart.panels[0].title, "b");
  EXPECT_EQ(chart.panels[0].x.domain, (stat::Interval{1, 2}));
  EXPECT_EQ(chart.panels[1].x.domain, (stat::Interval{10, 20}));
  EXPECT_TRUE(chart.overlap.empty()) << "there is one set";
}

TEST(DistributionFigureTest, ExtremeValuesHaveBins) {
  for (const std::vector<double>& values :
       {std::vector<double>{-1.7e308, 1.7e308}, std::vector<double>{1, std::nextafter(1.0, 2)},
        std::vector<double>{1e300, 1e300}, std::vector<double>{5e-324, 0}}) {
    const ScoreSet set{"a", "s", values};
    double share = 0;
    const Chart chart = distribution_figure({&set, 1});
    for (const ChartPoint& bar : points_of(chart.panels[0], MarkKind::kBar)) share += bar.y;
    EXPECT_NEAR(share, 1, 1e-9);
    expect_drawn(chart);
  }
  EXPECT_EQ(error_of([] { distribution_figure({}, {.bins = 0}); }), "0 bins are too few");
}

TEST(EstimateFigureTest, UndefinedRowsStayAndInfiniteOnesStandAtTheEnd) {
  const EstimatePoint points[] = {{"a", "", 0.6, stat::Interval{0.5, 0.7}},
                                  {"b", "", std::nullopt, std::nullopt},
                                  {"c", "", kInfinity, stat::Interval{0.2, kInfinity}}};
  const ChartPanel panel = estimate_figure(points).panels[0];
  EXPECT_EQ(panel.y.categories, (std::vector<std::string>{"a", "b", "c"}));
  const std::vector<ChartPoint> dots = points_of(panel, MarkKind::kDot);
  ASSERT_EQ(dots.size(), 2U);
  EXPECT_EQ(dots[0].text, "a: AUC 0.6 (0.500 … 0.700)");
  EXPECT_EQ(dots[1].y, 2.0);
  EXPECT_EQ(dots[1].x, 1.0);
  EXPECT_EQ(dots[1].text, "c: AUC inf (0.200 … inf)");
  EXPECT_EQ(points_of(panel, MarkKind::kInterval)[1].x2, 1.0);
  // What is undefined says so.
  const std::vector<ChartPoint> absent = points_of(panel, MarkKind::kText);
  ASSERT_EQ(absent.size(), 1U);
  EXPECT_EQ(absent[0].y, 1.0);
  EXPECT_EQ(absent[0].text, "n/a");
  const Chart chart = estimate_figure(points);
  EXPECT_NE(to_svg(chart, SvgUse::kPage).find(">n/a</text>"), std::string::npos);
  EXPECT_NE(to_vega_lite(chart).find("\"type\": \"text\""), std::string::npos);
  ASSERT_EQ(panel.rules.size(), 1U);
  EXPECT_EQ(panel.rules[0].value, 0.5);
}

// 0.5 has a tick where it has a meaning, and only there.
TEST(EstimateFigureTest, HalfIsMarkedWhereItMeansSomething) {
  const EstimatePoint point{"a", "", 0.6, {}};
  const auto ticks = estimate_figure({&point, 1}).panels[0].x.ticks;
  EXPECT_NE(std::find(ticks.begin(), ticks.end(), 0.5), ticks.end());
  const ChartPanel other = estimate_figure({&point, 1}, {.reference = std::nullopt}).panels[0];
  EXPECT_TRUE(other.rules.empty());
  EXPECT_TRUE(other.x.ticks.empty());
}

TEST(EstimateFigureTest, SeveralSeriesStandBesideEachOther) {
  const EstimatePoint points[] = {{"a", "m1", 0.6, {}}, {"a", "m2", 0.7, {}}};
  const Chart chart = estimate_figure(points);
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_EQ(chart.series[1].name, "m2");
  EXPECT_GT(chart.panels[0].height, estimate_figure({points, 1}).panels[0].height);
}

TEST(SweepFigureTest, HasABandOnlyWithIntervals) {
  const SweepPoint plain[] = {{0.1, "min_k", 0.5, {}}, {0.2, "min_k", 0.6, {}}};
  EXPECT_TRUE(points_of(sweep_figure(plain).panels[0], MarkKind::kBand).empty());
  EXPECT_EQ(points_of(sweep_figure(plain).panels[0], MarkKind::kLine).size(), 2U);
  const SweepPoint sure[] = {{0.1, "min_k", 0.5, stat::Interval{0.4, 0.6}},
                             {0.2, "min_k", 0.6, {}}};
  const ChartPanel panel = sweep_figure(sure).panels[0];
  ASSERT_EQ(points_of(panel, MarkKind::kBand).size(), 1U);
  EXPECT_EQ(points_of(panel, MarkKind::kBand)[0].y2, 0.6);
  EXPECT_EQ(points_of(panel, MarkKind::kDot)[0].text, "k = 0.1, min_k: AUC 0.5 (0.400 … 0.600)");
}

TEST(TradeOffFigureTest, LeavesOutPointsWithoutAPlace) {
  const TradeOffPoint points[] = {{"a", 0.5, 0.5, stat::Interval{0.25, kInfinity}, {}},
                                  {"b", NAN, 0.5, {}, {}},
                                  {"c", 0.5, kInfinity, {}, {}}};
  const Chart chart = trade_off_figure(points, {.x_goal = auc_goal()});
  ASSERT_EQ(chart.series.size(), 1U);
  EXPECT_EQ(chart.series[0].name, "a");
  EXPECT_EQ(points_of(chart.panels[0], MarkKind::kDot).size(), 1U);
  const ChartPoint interval = points_of(chart.panels[0], MarkKind::kInterval)[0];
  EXPECT_EQ(interval.x, 0.25);
  EXPECT_EQ(interval.x2, chart.panels[0].x.domain.high);
}

TEST(ComparisonFigureTest, OnePanelPerMetricWithTheUsualRange) {
  const ComparisonPoint points[] = {{"auc", "y", "m2", 0.5, {}},
                                    {"auc", "x", "m1", 0.25, stat::Interval{0.2, 0.3}},
                                    {"effective_epsilon", "x", "m1", kInfinity, {}},
                                    {"privacy_gain", "x", "m1", 1.5, {}}};
  const Chart chart =
      comparison_figure(points, {.x_axis = "attack",
                                 .marker_title = "target_id",
                                 .metrics = {"auc", "effective_epsilon", "privacy_gain"}});
  ASSERT_EQ(chart.panels.size(), 3U);
  EXPECT_EQ(chart.panels[0].x.categories, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(points_of(chart.panels[0], MarkKind::kDot).size(), 2U);
  EXPECT_EQ(points_of(chart.panels[1], MarkKind::kDot)[0].y, 10.0);
  EXPECT_EQ(points_of(chart.panels[1], MarkKind::kDot)[0].text, "x, m1: effective_epsilon inf");
  EXPECT_EQ(chart.panels[2].y.domain, (stat::Interval{-0.2, 1.5}));
  EXPECT_FALSE(chart.panels[0].x.has_labels);
  EXPECT_TRUE(chart.panels[2].x.has_labels);
}

}  // namespace
}  // namespace palimpsest::report
