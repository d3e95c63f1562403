#include <gtest/gtest.h>

#include "tests/eval/handler_call.h"

namespace palimpsest::eval {
namespace {

TEST(ExtractionStrengthHandlerTest, IsTheShareAfterTheLastWrongToken) {
  HandlerCall metric;
  metric.traces[kOnlyData] = memorized_traces();
  const MetricResult strength = metric.compute("extraction_strength");
  EXPECT_EQ(field_value(strength, 0, "score"), 0.5);  // from the third on
  EXPECT_EQ(field_value(strength, 1, "score"), 0.5);  // never: k = n - 1, as published
  EXPECT_EQ(field_value(strength, 2, "score"), 1);
  EXPECT_EQ(field_value(strength, 3, "score"), 0);
  EXPECT_EQ(field_value(strength, 4, "score"), 0);
}

}  // namespace
}  // namespace palimpsest::eval
