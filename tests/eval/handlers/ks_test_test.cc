#include <gtest/gtest.h>

#include "palimpsest/stat/kolmogorov_smirnov.h"
#include "tests/eval/handler_call.h"

namespace palimpsest::eval {
namespace {

TEST(KsTestHandlerTest, KsTestComparesWithTheLog) {
  HandlerCall metric;
  metric.computed("forget", result_of_field("score", {{0.1}, {0.2}, {Number()}, {0.3}}));
  EXPECT_EQ(metric.compute("ks_test").agg_value, std::nullopt);
  metric.setting.reference_logs["retain_model_logs"]["retain"] =
      result_of_field("score", {{0.25}, {0.4}, {0.5}});
  EXPECT_EQ(metric.compute("ks_test").agg_value,
            stat::ks_two_sample(std::vector{0.1, 0.2, 0.3}, std::vector{0.25, 0.4, 0.5})->p_value);
  metric.setting.reference_logs["retain_model_logs"]["retain"] = std::nullopt;
  expect_contains(metric.needs_error("ks_test"), "reference log");
}

}  // namespace
}  // namespace palimpsest::eval
