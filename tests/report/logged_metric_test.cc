#include "palimpsest/report/internal/logged_metric.h"

#include <gtest/gtest.h>

namespace palimpsest::report {
namespace {

eval::MetricResult result_with(const std::string& by_index) {
  return logged_result(parse_json("{\"value_by_index\": " + by_index + "}", ""));
}

TEST(LoggedMetricTest, KeysAreInTheOrderOfTheirNumbersElseOfTheFile) {
  using Keys = std::vector<std::string>;
  EXPECT_EQ(example_keys(result_with(R"({"10": 1, "9": 1, "2/1": 1, "2": 1})")),
            (Keys{"2/1", "2", "9", "10"}));
  EXPECT_EQ(example_keys(result_with(R"({"b": 1, "10": 1, "9": 1})")), (Keys{"b", "10", "9"}));
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
  EXPECT_TRUE(logged_result(parse_json("3", "")).parts.empty());
}

}  // namespace
}  // namespace palimpsest::report
