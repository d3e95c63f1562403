#include "palimpsest/metric/internal/sequence_count.h"

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

TEST(SequenceCountTest, WorkedExample) {
  const SequenceCount metric({.masked_target_values = {0, 2}});
  EXPECT_EQ(on_targets(metric, Array::vector({1, 2, 2, 3, 4, 0, 0})).result(), Array(1));
  EXPECT_EQ(on_targets(metric, Array::vector({0, 0, 0, 2})).result(), Array(0));
}

TEST(SequenceCountTest, ABatchCountsThoseThatAreNotMaskedThroughout) {
  const Array y({3, 2}, {0, 0, 0, 1, 5, 5});
  EXPECT_EQ(evaluate_batch(SequenceCount(), {{"y", y}}, {}).result(), Array(2));
}

}  // namespace
}  // namespace palimpsest::metric
