#include "palimpsest/report/figures/roc_figure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "palimpsest/base/internal/json.h"
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

Json layers_of(std::span<const RocLine> lines, const RocFigureOptions& options) {
  return parse_json(roc_figure(lines, options), "figure")["layer"];
}

// The drawn curve at a false positive rate, interpolated.
double drawn_at(const Json& rows, double fpr) {
  for (size_t i = 1; i < rows.size(); ++i) {
    const double left = rows[i - 1]["fpr"];
    const double right = rows[i]["fpr"];
    if (right < fpr || left == right) continue;
    const double low = rows[i - 1]["tpr"];
    const double high = rows[i]["tpr"];
    return low + (high - low) * (fpr - left) / (right - left);
  }
  return 1;
}

TEST(RocFigureTest, DrawsTheWholeOfASmallCurve) {
  const stat::LabelledScores scores{{0.9, 0.4}, {0.4, 0.1}};
  const RocLine line{"loss", &scores};
  const Json layers = layers_of({&line, 1}, {.band = std::nullopt});
  ASSERT_EQ(layers.size(), 2U);
  const Json& rows = layers[1]["data"]["values"];
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[1]["tpr"], 0.5);
  EXPECT_EQ(rows[2]["fpr"], 0.5);
  EXPECT_EQ(rows[2]["tpr"], 1.0);
  EXPECT_EQ(rows[3]["order"], 3);
  EXPECT_EQ(rows[3]["label"], "loss");
}

TEST(RocFigureTest, AThinnedCurveIsTheSameToTheEye) {
  const stat::LabelledScores scores = normal_scores(20'000, 1);
  const RocLine line{"loss", &scores};
  const Json layers = layers_of({&line, 1}, {.band = std::nullopt});
  const Json& rows = layers[1]["data"]["values"];
  EXPECT_LE(rows.size(), 400U);
  const auto curve = stat::roc_curve(scores);
  for (size_t i = 0; i < curve->fpr.size(); i += 7)
    ASSERT_NEAR(drawn_at(rows, curve->fpr[i]), curve->tpr[i], 0.004);
}

TEST(RocFigureTest, ZoomsIntoBothCorners) {
  const stat::LabelledScores scores = normal_scores(5'000, 1);
  const RocLine line{"loss", &scores};
  const Json low = layers_of({&line, 1}, {.zoom = 0.1, .band = std::nullopt});
  const Json high =
      layers_of({&line, 1}, {.zoom = 0.1, .corner = RocCorner::kHigh, .band = std::nullopt});
  const Json& low_rows = low[1]["data"]["values"];
  EXPECT_EQ(low_rows[0]["fpr"], 0.0);
  EXPECT_GT(low_rows.back()["tpr"], 0.1);  // it leaves the window through the upper edge
  EXPECT_LT(low_rows.back()["fpr"], 0.1);
  const Json& high_rows = high[1]["data"]["values"];
  EXPECT_LT(high_rows[0]["fpr"], 0.9);
  EXPECT_GE(high_rows[1]["fpr"], 0.9);
  EXPECT_EQ(high_rows.back()["fpr"], 1.0);
}

TEST(RocFigureTest, LogarithmicAxesHaveNoZero) {
  const stat::LabelledScores scores = normal_scores(150, 1);
  const RocLine line{"loss", &scores};
  const Json figure =
      parse_json(roc_figure({&line, 1}, {.log_log = true, .epsilons = {1}, .band = 0.9}), "figure");
  EXPECT_EQ(figure["encoding"]["x"]["scale"]["type"], "log");
  EXPECT_EQ(figure["encoding"]["x"]["scale"]["domain"], Json::array({0.001, 1.0}));
  for (const Json& layer : figure["layer"]) {
    for (const Json& row : layer["data"]["values"]) {
      EXPECT_GE(row["fpr"], 0.001);
      EXPECT_GE(row[row.contains("tpr") ? "tpr" : "low"], 0.001);
    }
  }
}

TEST(RocFigureTest, TheBandHoldsTheCurveAndNarrowsWithTheSample) {
  std::map<int64_t, double> widths;
  for (int64_t count : {100, 2500}) {
    const stat::LabelledScores scores = normal_scores(count, 1);
    const RocLine line{"loss", &scores};
    const Json layers = layers_of({&line, 1}, {.band = 0.95});
    ASSERT_EQ(layers.size(), 3U);
    for (const Json& row : layers[1]["data"]["values"]) {
      const double drawn = drawn_at(layers[2]["data"]["values"], row["fpr"]);
      EXPECT_LE(row["low"], drawn);
      EXPECT_GE(row["high"], drawn - 1e-9);
      widths[count] += row["high"].get<double>() - row["low"].get<double>();
    }
  }
  EXPECT_NEAR(widths[100] / widths[2500], 5, 1);  // √25
}

TEST(RocFigureTest, BoundLinesAreWhatEpsilonAllows) {
  const Json layers = layers_of({}, {.epsilons = {std::log(3)}, .band = std::nullopt});
  const Json& rows = layers[1]["data"]["values"];
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1]["fpr"], 0.25);
  EXPECT_EQ(rows[1]["tpr"], 0.75);
}

TEST(RocFigureTest, CurvesOfOneLabelStayApartAndOneClassHasNone) {
  const stat::LabelledScores scores{{1, 2}, {0, 1}};
  const stat::LabelledScores lonely{{1, 2}, {}};
  const RocLine lines[] = {{"a", &scores}, {"a", &scores}, {"b", &lonely}};
  const Json layers = layers_of(lines, {.band = std::nullopt});
  EXPECT_EQ(layers[1]["encoding"]["color"]["scale"]["domain"], Json::array({"a"}));
  EXPECT_EQ(layers[1]["encoding"]["detail"]["field"], "curve");
  EXPECT_EQ(layers[1]["data"]["values"].back()["curve"], 1);
}

TEST(RocFigureTest, RefusesOptionsOutOfRange) {
  expect_contains(error_of([] { roc_figure({}, {.zoom = 0}); }), "the zoom 0 is out of range");
  expect_contains(error_of([] { roc_figure({}, {.zoom = 1.5}); }), "the zoom 1.5");
  expect_contains(error_of([] { roc_figure({}, {.epsilons = {0}}); }), "the epsilon 0");
  expect_contains(error_of([] { roc_figure({}, {.band = 1}); }), "1");
  expect_contains(error_of([] { roc_figure({}, {.max_points = 1}); }), "1 points are too few");
  expect_contains(
      error_of([] { roc_figure({}, {.zoom = 0.1, .corner = RocCorner::kHigh, .log_log = true}); }),
      "the low corner only");
}

}  // namespace
}  // namespace palimpsest::report
