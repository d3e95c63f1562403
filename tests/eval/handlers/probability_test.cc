#include <gtest/gtest.h>

#include <cmath>

#include "tests/eval/handler_call.h"

namespace palimpsest::eval {
namespace {

TEST(ProbabilityHandlerTest, ProbabilityIsTheExponentOfTheLoss) {
  HandlerCall metric;
  metric.traces[kOnlyData] = {handled_trace("0", {-1, -3}), handled_trace("1", {-2}),
                              unlabelled_trace("2")};
  const MetricResult result = metric.compute("probability");
  EXPECT_DOUBLE_EQ(*field_value(result, 0, "avg_loss"), 2);
  EXPECT_DOUBLE_EQ(*field_value(result, 0, "prob"), std::exp(-2));
  EXPECT_EQ(field_value(result, 2, "prob"), std::nullopt);
  EXPECT_DOUBLE_EQ(*result.agg_value, std::exp(-2));
  EXPECT_EQ(result.examples, 2);
}

TEST(ProbabilityHandlerTest, AlternativesAreAveragedFirst) {
  HandlerCall metric;
  trace::Trace second = handled_trace("0", {-2});
  second.alternative = 1;
  metric.traces[kOnlyData] = {handled_trace("0", {-1}), second, handled_trace("1", {-3})};
  const MetricResult result = metric.compute("probability");
  EXPECT_EQ(std::get<std::vector<Number>>(*result.value_by_index[0].find("avg_loss")),
            (std::vector<Number>{1, 2}));
  EXPECT_DOUBLE_EQ(*result.agg_value, ((std::exp(-1) + std::exp(-2)) / 2 + std::exp(-3)) / 2);
}

}  // namespace
}  // namespace palimpsest::eval
