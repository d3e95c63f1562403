#include "palimpsest/metric/internal/sequence_length.h"

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

TEST(SequenceLengthTest, WorkedExample) {
  const stat::AnyStat stat = on_targets(SequenceLength(), Array::vector({1, 2, 3, 4, 0, 0}));
  EXPECT_EQ(accum_of(stat), Array(4));
  EXPECT_EQ(weight_of(stat), Array(1));
}

TEST(SequenceLengthTest, ASequenceThatIsMaskedThroughoutIsLeftOut) {
  const Array y({3, 2}, {0, 0, 1, 0, 1, 1});
  EXPECT_EQ(evaluate_batch(SequenceLength(), {{"y", y}}, {}).result(), Array(1.5));
}

}  // namespace
}  // namespace palimpsest::metric
