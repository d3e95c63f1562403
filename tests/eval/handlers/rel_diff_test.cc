#include <gtest/gtest.h>

#include "tests/eval/handler_call.h"

namespace palimpsest::eval {
namespace {

TEST(RelDiffHandlerTest, FallsBackToItsReferenceValue) {
  HandlerCall metric(Json::object({{"ref_value", 0.5}}));
  metric.computed("forget", {.agg_value = 0.75});
  EXPECT_NEAR(*metric.compute("rel_diff").agg_value, 50, 1e-6);
  metric.setting.reference_logs["retain_model_logs"]["retain"] = MetricResult{.agg_value = 0.6};
  EXPECT_NEAR(*metric.compute("rel_diff").agg_value, 25, 1e-6);
}

}  // namespace
}  // namespace palimpsest::eval
