#include <gtest/gtest.h>

#include "tests/eval/handler_call.h"

namespace palimpsest::eval {
namespace {

TEST(ExactMemorizationHandlerTest, LooksAtAllButTheLastToken) {
  HandlerCall metric;
  metric.traces[kOnlyData] = memorized_traces();
  const MetricResult exact = metric.compute("exact_memorization");
  EXPECT_EQ(field_value(exact, 0, "score"), 0.75);
  EXPECT_EQ(field_value(exact, 1, "score"), 0);
  EXPECT_EQ(field_value(exact, 2, "score"), 1);
  EXPECT_EQ(field_value(exact, 3, "score"), std::nullopt);
  EXPECT_EQ(field_value(exact, 4, "score"), std::nullopt);
  EXPECT_DOUBLE_EQ(*exact.agg_value, 1.75 / 3);
}

}  // namespace
}  // namespace palimpsest::eval
