#include <gtest/gtest.h>

#include "tests/eval/handler_call.h"

namespace palimpsest::eval {
namespace {

TEST(MemorizationHandlersTest, MemorizationLooksAtAllButTheLastToken) {
  HandlerCall metric;
  metric.traces[kOnlyData] = {
      handled_trace("0", {-1, -1, -1, -1, -1}, {1, 9, 3, 4, 9}, {1, 2, 3, 4, 5}),
      handled_trace("1", {-1, -1, -1}, {9, 9, 9}, {1, 2, 3}),
      handled_trace("2", {-1, -1}, {1, 9}, {1, 2}), handled_trace("3", {-1}, {1}, {1}),
      unlabelled_trace("4")};
  const MetricResult exact = metric.compute("exact_memorization");
  EXPECT_EQ(field_value(exact, 0, "score"), 0.75);
  EXPECT_EQ(field_value(exact, 1, "score"), 0);
  EXPECT_EQ(field_value(exact, 2, "score"), 1);
  EXPECT_EQ(field_value(exact, 3, "score"), std::nullopt);
  EXPECT_EQ(field_value(exact, 4, "score"), std::nullopt);
  EXPECT_DOUBLE_EQ(*exact.agg_value, 1.75 / 3);
  const MetricResult strength = metric.compute("extraction_strength");
  EXPECT_EQ(field_value(strength, 0, "score"), 0.5);  // from the third on
  EXPECT_EQ(field_value(strength, 1, "score"), 0.5);  // never: k = n - 1, as published
  EXPECT_EQ(field_value(strength, 2, "score"), 1);
  EXPECT_EQ(field_value(strength, 3, "score"), 0);
  EXPECT_EQ(field_value(strength, 4, "score"), 0);
}

}  // namespace
}  // namespace palimpsest::eval
