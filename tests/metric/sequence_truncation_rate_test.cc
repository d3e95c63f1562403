#include "palimpsest/metric/internal/sequence_truncation_rate.h"

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

const SequenceTruncationRate kMetric({.eos_target_value = 4});

TEST(SequenceTruncationRateTest, WorkedExample) {
  EXPECT_EQ(on_targets(kMetric, Array::vector({1, 2, 2, 3, 3, 3, 4})).result(), Array(0));
  EXPECT_EQ(on_targets(kMetric, Array::vector({1, 2, 2, 3, 3, 3, 3})).result(), Array(1));
}

TEST(SequenceTruncationRateTest, ASequenceThatIsMaskedThroughoutIsLeftOut) {
  EXPECT_EQ(weight_of(on_targets(kMetric, Array::vector({0, 0, 0}))), Array(0));
}

}  // namespace
}  // namespace palimpsest::metric
