#include "palimpsest/metric/internal/accuracy.h"

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

TEST(AccuracyTest, WorkedExample) {
  const stat::AnyStat stat = on_example(Accuracy(), 2, Array::vector({0, 0, 1}));
  EXPECT_EQ(accum_of(stat), Array(1));
  EXPECT_EQ(weight_of(stat), Array(1));
}

TEST(AccuracyTest, OfEqualLogitsTheFirstIsPredicted) {
  EXPECT_EQ(accum_of(on_example(Accuracy(), 0, Array::vector({5, 5}))), Array(1));
  EXPECT_EQ(accum_of(on_example(Accuracy(), 1, Array::vector({5, 5}))), Array(0));
}

TEST(AccuracyTest, FourExamplesInTwoBatches) {
  const Array y = Array::vector({1, 0});
  const Array first({2, 2}, {0, 1, 1, 0});
  const Array second({2, 2}, {1, 0, 2, 0});
  stat::AnyStat stat = Accuracy().zero();
  for (const Array* pred : {&first, &second}) {
    stat = stat.merge(evaluate_batch(Accuracy(), {{"y", y}}, TensorView(*pred)));
  }
  EXPECT_EQ(stat.result(), Array(0.75));
}

TEST(AccuracyTest, OfNothingIsUndefined) {
  EXPECT_TRUE(std::isnan(Accuracy().zero().result().scalar()));
}

}  // namespace
}  // namespace palimpsest::metric
