#include "palimpsest/metric/internal/sequence_cross_entropy_loss.h"

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

const Array kSequenceLogits({3, 2}, {1.2, 0.4, 2.3, 0.1, 0.3, 3.2});

TEST(SequenceCrossEntropyLossTest, WorkedExample) {
  const stat::AnyStat stat =
      on_example(SequenceCrossEntropyLoss(), Array::vector({1, 0, 1}), kSequenceLogits);
  EXPECT_TRUE(near(accum_of(stat), 1.2246634421657407, 1e-12));
  EXPECT_EQ(weight_of(stat), Array(1));
}

TEST(SequenceCrossEntropyLossTest, ASequenceThatIsMaskedThroughoutCountsNothing) {
  const stat::AnyStat stat =
      on_example(SequenceCrossEntropyLoss(), Array::vector({0, 0, 0}), kSequenceLogits);
  EXPECT_EQ(weight_of(stat), Array(0));
  EXPECT_TRUE(std::isnan(stat.result().scalar()));
}

TEST(SequenceCrossEntropyLossTest, ABatchCountsSequences) {
  const Array y({3, 1}, {1, 0, 1});
  const Array pred({3, 1, 2}, {0, 0, 0, 0, 0, 0});
  const stat::AnyStat stat =
      evaluate_batch(SequenceCrossEntropyLoss(), {{"y", y}}, TensorView(pred));
  EXPECT_TRUE(near(accum_of(stat), 2 * std::log(2.0), 1e-15));
  EXPECT_EQ(weight_of(stat), Array(2));
}

}  // namespace
}  // namespace palimpsest::metric
