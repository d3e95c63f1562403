#include "palimpsest/metric/internal/cross_entropy_loss.h"

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

TEST(CrossEntropyLossTest, WorkedExample) {
  const stat::AnyStat stat = on_example(CrossEntropyLoss(), 1, Array::vector({1.2, 0.4}));
  EXPECT_TRUE(near(accum_of(stat), 1.1711006659477776, 1e-12));
  EXPECT_EQ(weight_of(stat), Array(1));
}

TEST(CrossEntropyLossTest, KeysNameTargetAndPrediction) {
  const CrossEntropyLoss metric({.target_key = "label", .pred_key = "logits"});
  const Array label = 0;
  const Array logits = Array::vector({0, 0});
  const stat::AnyStat stat =
      metric.evaluate_example({{"label", label}}, Features{{"logits", logits}});
  EXPECT_TRUE(near(stat.result(), std::log(2.0), 1e-15));
  EXPECT_EQ(error_of([&] { on_example(metric, label, logits); }),
            "the example has no feature 'label' (found the keys y)");
}

TEST(CrossEntropyLossTest, RefusesBadLogitsAndTargets) {
  const CrossEntropyLoss metric;
  EXPECT_EQ(error_of([&] {
              on_example(metric, 2, Array::vector({0, 0}));
            }),
            "the target 2 is not a class (expected 0 … 1)");
  EXPECT_EQ(error_of([&] {
              on_example(metric, 1, Array::vector({0, std::nan("")}));
            }),
            "the logit of class 1 is not a number");
  EXPECT_NE(error_of([&] { on_example(metric, 0, Array::vector({})); }), "");
  EXPECT_NE(error_of([&] { on_targets(metric, 0); }), "");
}

}  // namespace
}  // namespace palimpsest::metric
