// What all kinds of figures must hold, and what each shows.
#include "palimpsest/report/figures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/internal/figures/comparison_figure.h"
#include "palimpsest/report/internal/figures/estimate_figure.h"
#include "palimpsest/report/internal/figures/trade_off_figure.h"
#include "tests/support/expect_error.h"

namespace palimpsest::report {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Json parsed(const std::string& spec) {
  return parse_json(spec, "the figure");
}

// Every colour that is written anywhere but in `config`.
void collect_colours(const Json& value, std::set<std::string>& colours) {
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    if (text.size() == 7 && text[0] == '#') colours.insert(text);
  }
  if (!value.is_structured()) return;
  for (const auto& [key, child] : value.items()) {
    if (key != "config") collect_colours(child, colours);
  }
}

void expect_document(const std::string& spec, const std::string& title) {
  const Json document = parsed(spec);
  EXPECT_EQ(document["$schema"], "https://vega.github.io/schema/vega-lite/v5.json");
  EXPECT_EQ(document["title"], title);
  EXPECT_EQ(document["background"], "transparent");
  EXPECT_GE(document["config"]["range"]["category"].size(), 7U);
  std::set<std::string> colours;
  collect_colours(document, colours);
  EXPECT_TRUE(colours.empty()) << *colours.begin();
}

const char* const kHostile = "</script><b>\"'{{[x]}}.y";

TEST(FiguresTest, EveryKindIsADocumentWithoutColoursOfItsOwn) {
  const stat::LabelledScores scores{{1, 2, 3}, {0, 1, 2}};
  const RocLine line{kHostile, &scores};
  expect_document(roc_figure({&line, 1}, {.title = kHostile}), kHostile);
  const ScoreSet set{kHostile, kHostile, scores.positives};
  expect_document(distribution_figure({&set, 1}, {.title = kHostile}), kHostile);
  const EstimatePoint estimate{kHostile, kHostile, 0.5, stat::Interval{0.4, 0.6}};
  expect_document(estimate_figure({&estimate, 1}, {.title = kHostile}), kHostile);
  const SweepPoint sweep{0.1, kHostile, 0.5, stat::Interval{0.4, 0.6}};
  expect_document(sweep_figure({&sweep, 1}, {.title = kHostile}), kHostile);
  const TradeOffPoint model{kHostile, 0.5, 0.5, stat::Interval{0.4, 0.6}, stat::Interval{0.4, 0.6}};
  expect_document(trade_off_figure({&model, 1}, {.title = kHostile}), kHostile);
  const ComparisonPoint point{"auc", kHostile, kHostile, 0.5, stat::Interval{0.4, 0.6}};
  expect_document(
      comparison_figure(
          {&point, 1},
          {.title = kHostile, .x_axis = "attack", .marker_title = "generator", .metrics = {"auc"}}),
      kHostile);
}

TEST(FiguresTest, EveryKindOfNothingIsADocument) {
  expect_document(roc_figure({}, {.title = "t"}), "t");
  expect_document(distribution_figure({}, {.title = "t"}), "t");
  expect_document(estimate_figure({}, {.title = "t"}), "t");
  expect_document(sweep_figure({}, {.title = "t"}), "t");
  expect_document(trade_off_figure({}, {.title = "t"}), "t");
  expect_document(comparison_figure({}, {.title = "t"}), "t");
}

TEST(FiguresTest, NamesAreSafeFileNames) {
  EXPECT_EQ(figure_name("roc_zoom=0.1_low"), "roc_zoom=0.1_low");
  EXPECT_EQ(figure_name("a/b\\c d\xC3\xA9\n"), "a-b-c-d---");
  EXPECT_EQ(figure_name("../x"), "-.-x");
  EXPECT_EQ(figure_name(""), "none");
  EXPECT_EQ(figure_name(std::string(1000, 'x')).size(), 60U);
}

TEST(DistributionFigureTest, BarsAreSharesOfTheirSet) {
  const std::vector<double> forget = {0, 0, 1, 4};
  const std::vector<double> holdout = {4, NAN};
  const ScoreSet sets[] = {{"loss", "forget", forget}, {"loss", "holdout", holdout}};
  const Json figure = parsed(distribution_figure(sets, {.bins = 4}));
  const Json& rows = figure["data"]["values"];
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0]["share"], 0.5);
  EXPECT_EQ(rows[1]["from"], 1.0);
  EXPECT_EQ(rows[1]["share"], 0.25);
  EXPECT_EQ(rows[3]["set"], "holdout");
  EXPECT_EQ(rows[3]["to"], 4.0);
  EXPECT_EQ(rows[3]["share"], 1.0);
  EXPECT_FALSE(figure.contains("facet"));
}

TEST(DistributionFigureTest, OnePlotAnAttack) {
  const std::vector<double> scores = {1, 2};
  const ScoreSet sets[] = {{"b", "forget", scores}, {"a", "forget", scores}};
  const Json figure = parsed(distribution_figure(sets, {}));
  EXPECT_EQ(figure["facet"]["sort"], Json::array({"b", "a"}));
  EXPECT_EQ(figure["resolve"]["scale"]["x"], "independent");
}

TEST(DistributionFigureTest, ExtremeValuesHaveBins) {
  for (const std::vector<double>& values :
       {std::vector<double>{-1.7e308, 1.7e308}, std::vector<double>{1, std::nextafter(1.0, 2)},
        std::vector<double>{1e300, 1e300}, std::vector<double>{5e-324, 0}}) {
    const ScoreSet set{"a", "s", values};
    double share = 0;
    const Json figure = parsed(distribution_figure({&set, 1}, {}));
    for (const Json& row : figure["data"]["values"]) share += row["share"].get<double>();
    EXPECT_NEAR(share, 1, 1e-9);
  }
  EXPECT_EQ(error_of([] { distribution_figure({}, {.bins = 0}); }), "0 bins are too few");
}

TEST(EstimateFigureTest, UndefinedRowsStayAndInfiniteOnesStandAtTheEnd) {
  const EstimatePoint points[] = {{"a", "", 0.6, stat::Interval{0.5, 0.7}},
                                  {"b", "", std::nullopt, std::nullopt},
                                  {"c", "", kInfinity, stat::Interval{0.2, kInfinity}}};
  const Json figure = parsed(estimate_figure(points, {}));
  const Json& rows = figure["data"]["values"];
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["shown"], "0.6 (0.500 … 0.700)");
  EXPECT_FALSE(rows[1].contains("value"));
  EXPECT_EQ(rows[1]["shown"], "n/a");
  EXPECT_EQ(rows[2]["value"], 1.0);
  EXPECT_EQ(rows[2]["high"], 1.0);
  EXPECT_EQ(rows[2]["shown"], "inf (0.200 … inf)");
  EXPECT_EQ(figure["layer"][0]["encoding"]["x"]["datum"], 0.5);
}

TEST(EstimateFigureTest, SeveralSeriesStandBesideEachOther) {
  const EstimatePoint points[] = {{"a", "m1", 0.6, {}}, {"a", "m2", 0.7, {}}};
  const Json figure = parsed(estimate_figure(points, {}));
  EXPECT_EQ(figure["layer"][2]["encoding"]["yOffset"]["sort"], Json::array({"m1", "m2"}));
}

TEST(SweepFigureTest, HasABandOnlyWithIntervals) {
  const SweepPoint plain[] = {{0.1, "min_k", 0.5, {}}, {0.2, "min_k", 0.6, {}}};
  EXPECT_EQ(parsed(sweep_figure(plain, {}))["layer"].size(), 2U);
  const SweepPoint sure[] = {{0.1, "min_k", 0.5, stat::Interval{0.4, 0.6}},
                             {0.2, "min_k", 0.6, {}}};
  EXPECT_EQ(parsed(sweep_figure(sure, {}))["layer"].size(), 3U);
}

TEST(TradeOffFigureTest, LeavesOutPointsWithoutAPlace) {
  const TradeOffPoint points[] = {
      {"a", 0.5, 0.5, {}, {}}, {"b", NAN, 0.5, {}, {}}, {"c", 0.5, kInfinity, {}, {}}};
  const Json figure = parsed(trade_off_figure(points, {.x_goal = 0.5}));
  ASSERT_EQ(figure["data"]["values"].size(), 1U);
  EXPECT_EQ(figure["data"]["values"][0]["label"], "a");
}

TEST(ComparisonFigureTest, OnePanelAMetricWithTheUsualRange) {
  const ComparisonPoint points[] = {{"auc", "y", "m2", 0.5, {}},
                                    {"auc", "x", "m1", 0.25, stat::Interval{0.2, 0.3}},
                                    {"effective_epsilon", "x", "m1", kInfinity, {}},
                                    {"privacy_gain", "x", "m1", 1.5, {}}};
  const Json figure =
      parsed(comparison_figure(points, {.x_axis = "attack",
                                        .marker_title = "target_id",
                                        .metrics = {"auc", "effective_epsilon", "privacy_gain"}}));
  const Json& panels = figure["vconcat"];
  ASSERT_EQ(panels.size(), 3U);
  EXPECT_EQ(panels[0]["layer"][1]["encoding"]["x"]["sort"], Json::array({"x", "y"}));
  EXPECT_EQ(panels[0]["data"]["values"].size(), 2U);
  EXPECT_EQ(panels[1]["data"]["values"][0]["value"], 10.0);
  EXPECT_EQ(panels[1]["data"]["values"][0]["shown"], "inf");
  EXPECT_EQ(panels[2]["layer"][1]["encoding"]["y"]["scale"]["domain"], Json::array({-0.2, 1.5}));
}

}  // namespace
}  // namespace palimpsest::report
