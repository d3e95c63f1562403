#include <gtest/gtest.h>

#include "tests/eval/handler_call.h"

namespace palimpsest::eval {
namespace {

TEST(PrivleakHandlerTest, FallsBackToItsReferenceValue) {
  HandlerCall metric(Json::object({{"ref_value", 0.5}}));
  metric.computed("forget", {.agg_value = 0.75});
  EXPECT_NEAR(*metric.compute("privleak").agg_value, -50, 1e-6);
  metric.setting.reference_logs["retain_model_logs"]["retain"] = MetricResult{.agg_value = 0.6};
  EXPECT_NEAR(*metric.compute("privleak").agg_value, (0.25 - 0.4) / 0.4 * 100, 1e-6);
  HandlerCall bare;
  bare.computed("forget", {.agg_value = 0.75});
  expect_contains(bare.needs_error("privleak"), "ref_value");
}

}  // namespace
}  // namespace palimpsest::eval
