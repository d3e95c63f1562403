#include "palimpsest/metric/internal/sequence_token_cross_entropy_loss.h"

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

const Array kLossTargets = Array::vector({1, 0, 1});
const Array kLossLogits({3, 2}, {1.2, 0.4, 2.3, 0.1, 0.3, 3.2});

TEST(SequenceTokenCrossEntropyLossTest, WorkedExample) {
  const stat::AnyStat stat = on_example(SequenceTokenCrossEntropyLoss(), kLossTargets, kLossLogits);
  EXPECT_TRUE(near(accum_of(stat), 1.2246634421657407, 1e-12));
  EXPECT_EQ(weight_of(stat), Array(2));
}

TEST(SequenceTokenCrossEntropyLossTest, PerPosition) {
  const SequenceTokenCrossEntropyLoss metric({.per_position = true});
  const stat::AnyStat stat = on_example(metric, kLossTargets, kLossLogits);
  EXPECT_TRUE(
      near(accum_of(stat), Array::vector({1.1711006659477776, 0, 0.0535627762179632}), 1e-12));
  EXPECT_EQ(weight_of(stat), Array::vector({1, 0, 1}));
  EXPECT_TRUE(std::isnan(stat.result().values()[1]));
}

TEST(SequenceTokenCrossEntropyLossTest, MaskedPositionsAreNotLookedAt) {
  const Array logits({3, 2}, {1.2, 0.4, std::nan(""), 0.1, 0.3, 3.2});
  EXPECT_TRUE(near(on_example(SequenceTokenCrossEntropyLoss(), kLossTargets, logits),
                   on_example(SequenceTokenCrossEntropyLoss(), kLossTargets, kLossLogits), 0));
}

TEST(SequenceTokenCrossEntropyLossTest, NanNamesThePosition) {
  const Array logits({3, 2}, {1.2, 0.4, 2.3, 0.1, 0.3, std::nan("")});
  EXPECT_EQ(error_of([&] { on_example(SequenceTokenCrossEntropyLoss(), kLossTargets, logits); }),
            "position 2: the logit of class 1 is not a number");
}

TEST(SequenceTokenCrossEntropyLossTest, NoMaskedValuesCountEveryToken) {
  const SequenceTokenCrossEntropyLoss metric({.masked_target_values = {}});
  EXPECT_EQ(weight_of(on_example(metric, kLossTargets, kLossLogits)), Array(3));
}

}  // namespace
}  // namespace palimpsest::metric
