#include "palimpsest/report/internal/logged_metric.h"

#include <gtest/gtest.h>

namespace palimpsest::report {
namespace {

eval::MetricResult result_with(const std::string& by_index) {
  return logged_result(parse_json("{\"value_by_index\": " + by_index + "}", ""));
}

TEST(LoggedMetricTest, KeysAreInTheOrderOfTheirNumbersElseOfTheFile) {
  using Keys = std::vector<std::string>;
  EXPECT_EQ(in_record_order({"10", "9", "2/1", "2"}), (Keys{"2/1", "2", "9", "10"}));
  EXPECT_EQ(in_record_order({"b", "10", "9"}), (Keys{"b", "10", "9"}));
}

TEST(LoggedMetricTest, AFieldIsReadAsItIsOrInAForm) {
  const eval::MetricResult log = result_with(
      R"({"0": {"score": 4}, "1": {"score": [0.25, 0.75]}, "2": {"score": null}, "3": {"prob": 1}})");
  EXPECT_EQ(logged_field(log, "score"), (ValueByExample{{"0", 4}, {"1", 0.5}}));
  EXPECT_EQ(logged_field(log, "score", "true_better"), (ValueByExample{{"0", 0}, {"1", 0.5}}));
}

TEST(LoggedMetricTest, WhatIsOfAnotherTypeCountsAsAbsent) {
  const eval::MetricResult log = result_with(
      R"({"0": {"score": [true, "Infinity", {}]}, "1": {"score": true}, "2": {"score": [1, "x"]}})");
  EXPECT_EQ(logged_field(log, "score"), (ValueByExample{{"2", 1}}));
  EXPECT_TRUE(result_with("[1]").value_by_index.empty());
  EXPECT_FALSE(logged_result(parse_json("3", "")).scored);
}

TEST(LoggedMetricTest, AnAttackKeepsExamplesWithoutAScore) {
  const eval::MetricResult log = logged_result(parse_json(
      R"({"agg_value": 0.5, "auc_ci": [0.4, 0.6], "forget": {"value_by_index":
          {"1": {"score": 2}, "0": {}}}, "holdout": {"value_by_index": {"0": {"score": [1, 3]}}}})",
      ""));
  ASSERT_TRUE(log.scored);
  EXPECT_EQ(log.scored->forget.keys.list(), (std::vector<std::string>{"1", "0"}));
  EXPECT_EQ(log.scored->forget.scores, (attack::ScoreColumn{2, std::nullopt}));
  EXPECT_EQ(log.scored->holdout.scores, (attack::ScoreColumn{2}));
  EXPECT_EQ(log.scored->auc, 0.5);
  EXPECT_EQ(log.scored->auc_ci, (stat::Interval{0.4, 0.6}));
  EXPECT_EQ(log.scored->auc_ci_simultaneous, std::nullopt);
}

}  // namespace
}  // namespace palimpsest::report
