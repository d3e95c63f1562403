#include "palimpsest/metric/internal/top_k_accuracy.h"

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

TEST(TopKAccuracyTest, WorkedExample) {
  const stat::AnyStat stat = on_example(TopKAccuracy({.k = 2}), 2, Array::vector({0, 0.5, 0.2}));
  EXPECT_EQ(accum_of(stat), Array(1));
  EXPECT_EQ(weight_of(stat), Array(1));
}

TEST(TopKAccuracyTest, EqualLogitsCountInTheOrderOfTheirIndices) {
  const Array tied = Array::vector({1, 3, 3, 3});
  const TopKAccuracy metric({.k = 2});
  EXPECT_EQ(on_example(metric, 1, tied).result(), Array(1));
  EXPECT_EQ(on_example(metric, 2, tied).result(), Array(1));
  EXPECT_EQ(on_example(metric, 3, tied).result(), Array(0));
}

TEST(TopKAccuracyTest, SmallKIsNeverRightAndLargeKAlways) {
  const Array row = Array::vector({1, 2});
  EXPECT_EQ(on_example(TopKAccuracy({.k = 0}), 1, row).result(), Array(0));
  EXPECT_EQ(on_example(TopKAccuracy({.k = -3}), 1, row).result(), Array(0));
  EXPECT_EQ(on_example(TopKAccuracy({.k = 2}), 0, row).result(), Array(1));
  EXPECT_EQ(on_example(TopKAccuracy({.k = 99}), 0, row).result(), Array(1));
}

}  // namespace
}  // namespace palimpsest::metric
