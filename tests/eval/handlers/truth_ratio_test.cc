#include <gtest/gtest.h>

#include <cmath>

#include "tests/eval/handler_call.h"

namespace palimpsest::eval {
namespace {

TEST(TruthRatioHandlerTest, TruthRatioHasThreeWaysToBeRead) {
  const auto compute = [](const char* aggregator) {
    HandlerCall metric(Json::object({{"aggregator", aggregator}}));
    metric.computed("correct", result_of_field("avg_loss", {{1}, {2}}));
    metric.computed("wrong", result_of_field("avg_loss", {{2, 4}, {1, 1}}));
    return metric.compute("truth_ratio");
  };
  const double low = std::exp(-3) / (std::exp(-1) + 1e-10);
  const double high = std::exp(-1) / (std::exp(-2) + 1e-10);
  MetricResult result = compute("closer_to_1_better");
  EXPECT_DOUBLE_EQ(*field_value(result, 0, "score"), low);
  EXPECT_DOUBLE_EQ(*field_value(result, 1, "score"), high);
  EXPECT_DOUBLE_EQ(*result.agg_value, (low + 1 / (high + 1e-10)) / 2);
  EXPECT_DOUBLE_EQ(*compute("true_better").agg_value, (1 - low) / 2);
  result = compute("prob_mean");
  const double first = std::exp(-1) / (std::exp(-1) + std::exp(-3) + 1e-10);
  EXPECT_DOUBLE_EQ(*field_value(result, 0, "score"), first);
  HandlerCall wrong(Json::object({{"aggregator", "median"}}));
  wrong.computed("correct", {});
  wrong.computed("wrong", {});
  expect_contains(wrong.needs_error("truth_ratio"), "closer_to_1_better");
}

TEST(TruthRatioHandlerTest, TheOlderTruthRatio) {
  HandlerCall metric;
  metric.computed("paraphrase", result_of_field("prob", {{0.5}, {0.0}}));
  metric.computed("perturb", result_of_field("prob", {{0.2, 0.4}, {0.1, 0.1}}));
  const MetricResult result = metric.compute("truth_ratio");
  EXPECT_DOUBLE_EQ(*field_value(result, 0, "truth_ratio"), 0.6);
  EXPECT_EQ(field_value(result, 1, "truth_ratio"), std::nullopt);
  EXPECT_DOUBLE_EQ(*result.agg_value, 0.6);
}

}  // namespace
}  // namespace palimpsest::eval
