#include "palimpsest/metric/internal/sequence_token_count.h"

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

TEST(SequenceTokenCountTest, WorkedExample) {
  const SequenceTokenCount metric({.masked_target_values = {0, 2}});
  EXPECT_EQ(on_targets(metric, Array::vector({1, 2, 2, 3, 4, 0, 0})).result(), Array(3));
}

TEST(SequenceTokenCountTest, AnEmptySequenceHasNoTokens) {
  EXPECT_EQ(on_targets(SequenceTokenCount(), Array::vector({})).result(), Array(0));
}

TEST(SequenceTokenCountTest, NothingCountsZero) {
  EXPECT_EQ(SequenceTokenCount().zero().result(), Array(0));
}

}  // namespace
}  // namespace palimpsest::metric
