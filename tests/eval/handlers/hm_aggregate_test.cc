#include <gtest/gtest.h>

#include "tests/eval/handler_call.h"

namespace palimpsest::eval {
namespace {

TEST(HarmonicMeanHandlerTest, TheHarmonicMeanOfAllParts) {
  HandlerCall metric;
  metric.computed("a", {.agg_value = 1});
  metric.computed("b", {.agg_value = 4});
  EXPECT_DOUBLE_EQ(*metric.compute("hm_aggregate").agg_value, 1.6);
  metric.computed("c", {});
  EXPECT_EQ(metric.compute("hm_aggregate").agg_value, std::nullopt);
  expect_contains(HandlerCall().needs_error("hm_aggregate"), "pre_compute");
}

}  // namespace
}  // namespace palimpsest::eval
