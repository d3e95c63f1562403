#include <gtest/gtest.h>

#include "tests/eval/handler_call.h"

namespace palimpsest::eval {
namespace {

TEST(ProbabilityWithOptionsHandlerTest, ProbabilityWithOptions) {
  HandlerCall metric;
  metric.computed("correct", result_of_field("prob", {{0.5}, {0.2}, {Number()}}));
  metric.computed("wrong", result_of_field("prob", {{0.25, 0.25}, {0.1, 0.1}, {0.1, 0.2}}));
  const MetricResult result = metric.compute("probability_w_options");
  EXPECT_NEAR(*field_value(result, 0, "prob"), 0.5, 1e-9);
  EXPECT_NEAR(*field_value(result, 1, "prob"), 0.5, 1e-9);
  EXPECT_EQ(field_value(result, 2, "prob"), std::nullopt);
  EXPECT_NEAR(*result.agg_value, 0.5, 1e-9);
}

TEST(ProbabilityWithOptionsHandlerTest, PairsMustBeOverTheSameExamples) {
  HandlerCall metric;
  metric.computed("correct", result_of_field("prob", {{0.5}, {0.2}}));
  metric.computed("wrong", result_of_field("prob", {{0.5}}));
  expect_contains(error_of([&] { metric.compute("probability_w_options"); }), "same examples");
  HandlerCall none;
  expect_contains(none.needs_error("probability_w_options"), "access_key is 'correct'");
}

}  // namespace
}  // namespace palimpsest::eval
