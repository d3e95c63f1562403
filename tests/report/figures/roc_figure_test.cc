#include "palimpsest/report/internal/figures/roc_figure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "palimpsest/base/random.h"
#include "palimpsest/stat/roc.h"
#include "tests/support/expect_error.h"

namespace palimpsest::report {
namespace {

stat::LabelledScores normal_scores(int64_t count, double shift) {
  Random random(7);
  stat::LabelledScores scores;
  for (int64_t i = 0; i < count; ++i) {
    scores.positives.push_back(random.normal() + shift);
    scores.negatives.push_back(random.normal());
  }
  return scores;
}

ChartPanel panel_of(std::span<const RocLine> lines, const RocFigureOptions& options) {
  return roc_figure(lines, options).panels[0];
}

// The marks of a kind that belong to a series: curves or bands.
std::vector<ChartMark> marks_of(const ChartPanel& panel, MarkKind kind) {
  std::vector<ChartMark> marks;
  for (const ChartMark& mark : panel.marks) {
    if (mark.kind == kind && mark.series) marks.push_back(mark);
  }
  return marks;
}

std::vector<ChartPoint> curve_of(const ChartPanel& panel) {
  return marks_of(panel, MarkKind::kLine).at(0).points;
}

// The drawn curve at a false positive rate, interpolated.
double drawn_at(const std::vector<ChartPoint>& curve, double fpr) {
  for (size_t i = 1; i < curve.size(); ++i) {
    const ChartPoint& left = curve[i - 1];
    const ChartPoint& right = curve[i];
    if (right.x < fpr || left.x == right.x) continue;
    return left.y + (right.y - left.y) * (fpr - left.x) / (right.x - left.x);
  }
  return 1;
}

TEST(RocFigureTest, DrawsTheWholeOfASmallCurve) {
  const stat::LabelledScores scores{{0.9, 0.4}, {0.4, 0.1}};
  const RocLine line{"loss", &scores};
  const Chart chart = roc_figure({&line, 1}, {.band = std::nullopt});
  ASSERT_EQ(chart.panels[0].marks.size(), 2U);  // the diagonal and the curve
  EXPECT_EQ(chart.panels[0].marks[0].reference, "guessing");
  const std::vector<ChartPoint> curve = curve_of(chart.panels[0]);
  ASSERT_EQ(curve.size(), 4U);
  EXPECT_EQ(curve[1].y, 0.5);
  EXPECT_EQ(curve[2].x, 0.5);
  EXPECT_EQ(curve[2].y, 1.0);
  EXPECT_EQ(chart.series[0].name, "loss");
}

TEST(RocFigureTest, AThinnedCurveIsTheSameToTheEye) {
  const stat::LabelledScores scores = normal_scores(20'000, 1);
  const RocLine line{"loss", &scores};
  const std::vector<ChartPoint> drawn = curve_of(panel_of({&line, 1}, {.band = std::nullopt}));
  EXPECT_LE(drawn.size(), 400U);
  const auto curve = stat::roc_curve(scores);
  for (size_t i = 0; i < curve->fpr.size(); i += 7)
    ASSERT_NEAR(drawn_at(drawn, curve->fpr[i]), curve->tpr[i], 0.004);
}

TEST(RocFigureTest, ZoomsIntoBothCorners) {
  const stat::LabelledScores scores = normal_scores(5'000, 1);
  const RocLine line{"loss", &scores};
  const ChartPanel panel = panel_of({&line, 1}, {.zoom = 0.1, .band = std::nullopt});
  EXPECT_EQ(panel.x.domain, (stat::Interval{0, 0.1}));
  const std::vector<ChartPoint> low = curve_of(panel);
  const std::vector<ChartPoint> high = curve_of(
      panel_of({&line, 1}, {.zoom = 0.1, .corner = RocCorner::kHigh, .band = std::nullopt}));
  EXPECT_EQ(low[0].x, 0.0);
  EXPECT_GT(low.back().y, 0.1);  // it leaves the window through the upper edge
  EXPECT_LT(low.back().x, 0.1);
  EXPECT_LT(high[0].x, 0.9);
  EXPECT_GE(high[1].x, 0.9);
  EXPECT_EQ(high.back().x, 1.0);
}

TEST(RocFigureTest, LogarithmicAxesHaveNoZero) {
  const stat::LabelledScores scores = normal_scores(150, 1);
  const RocLine line{"loss", &scores};
  const ChartPanel panel = panel_of({&line, 1}, {.log_log = true, .epsilons = {1}, .band = 0.9});
  EXPECT_EQ(panel.x.scale, ScaleKind::kLog);
  EXPECT_EQ(panel.x.domain, (stat::Interval{0.001, 1}));
  for (const ChartMark& mark : panel.marks) {
    for (const ChartPoint& point : mark.points) {
      EXPECT_GE(point.x, 0.001 * (1 - 1e-9));
      EXPECT_GE(point.y, 0.001 * (1 - 1e-9));
    }
  }
}

TEST(RocFigureTest, TheBandHoldsTheCurveAndNarrowsWithTheSample) {
  std::map<int64_t, double> widths;
  for (int64_t count : {100, 2500}) {
    const stat::LabelledScores scores = normal_scores(count, 1);
    const RocLine line{"loss", &scores};
    const ChartPanel panel = panel_of({&line, 1}, {.band = 0.95});
    const std::vector<ChartMark> bands = marks_of(panel, MarkKind::kBand);
    ASSERT_EQ(bands.size(), 1U);
    for (const ChartPoint& point : bands[0].points) {
      const double drawn = drawn_at(curve_of(panel), point.x);
      EXPECT_LE(point.y, drawn);
      EXPECT_GE(point.y2, drawn - 1e-9);
      widths[count] += point.y2 - point.y;
    }
  }
  EXPECT_NEAR(widths[100] / widths[2500], 5, 1);  // √25
}

TEST(RocFigureTest, BoundLinesAreWhatEpsilonAllows) {
  const ChartPanel panel = panel_of({}, {.epsilons = {std::log(3)}, .band = std::nullopt});
  const ChartMark& bound = panel.marks[1];
  EXPECT_EQ(bound.reference, "ε = 1.09861");
  ASSERT_EQ(bound.points.size(), 3U);
  EXPECT_NEAR(bound.points[1].x, 0.25, 1e-12);
  EXPECT_NEAR(bound.points[1].y, 0.75, 1e-12);
}

TEST(RocFigureTest, NoTwoCurvesAreAlikeAndOneClassHasNone) {
  const stat::LabelledScores scores{{1, 2}, {0, 1}};
  const stat::LabelledScores lonely{{1, 2}, {}};
  const RocLine lines[] = {{"a", &scores}, {"a", &scores}, {"b", &lonely}};
  const Chart chart = roc_figure(lines, {.band = std::nullopt});
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_EQ(chart.series[0].name, "a");
  EXPECT_EQ(chart.series[1].name, "a (2)");
  EXPECT_NE(chart.series[0].style, chart.series[1].style);
  EXPECT_EQ(marks_of(chart.panels[0], MarkKind::kLine).size(), 2U);
}

TEST(RocFigureTest, RefusesOptionsOutOfRange) {
  expect_contains(error_of([] { roc_figure({}, {.zoom = 0}); }), "the zoom 0 is out of range");
  expect_contains(error_of([] { roc_figure({}, {.zoom = 1.5}); }), "the zoom 1.5");
  expect_contains(error_of([] { roc_figure({}, {.zoom = 1e-17}); }),
                  "the zoom 1e-17 is out of range (expected a number from 1e-10 to 1)");
  expect_contains(error_of([] { roc_figure({}, {.epsilons = {0}}); }), "the epsilon 0");
  expect_contains(error_of([] { roc_figure({}, {.band = 1}); }), "1");
  expect_contains(error_of([] { roc_figure({}, {.max_points = 1}); }), "1 points are too few");
  expect_contains(
      error_of([] { roc_figure({}, {.zoom = 0.1, .corner = RocCorner::kHigh, .log_log = true}); }),
      "the low corner only");
}

}  // namespace
}  // namespace palimpsest::report
