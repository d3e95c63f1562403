#include "palimpsest/metric/cross_entropy.h"

#include <limits>

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

const Array kPreds({2, 2}, {1.2, 0.4, 2.3, 0.1});

TEST(CrossEntropyTest, SparseTargetsAreClasses) {
  const Array targets = Array::vector({1, 0});
  EXPECT_TRUE(near(unreduced_cross_entropy_loss(targets, kPreds),
                   Array::vector({1.1711006659477776, 0.10508331976869593}), 1e-12));
}

TEST(CrossEntropyTest, DenseTargetsAreWeights) {
  const Array targets({2, 2}, {0.5, 0.5, 0, 1});
  EXPECT_TRUE(near(unreduced_cross_entropy_loss(targets, kPreds, false),
                   Array::vector({0.7711006659477776, 2.305083319768696}), 1e-12));
}

TEST(CrossEntropyTest, OneHotIsSparse) {
  const Array one_hot({2, 2}, {0, 1, 1, 0});
  const Array classes = Array::vector({1, 0});
  EXPECT_TRUE(near(unreduced_cross_entropy_loss(one_hot, kPreds, false),
                   unreduced_cross_entropy_loss(classes, kPreds), 1e-15));
}

TEST(CrossEntropyTest, AnyRankGivesOneLossPerRow) {
  const Array target = 1;
  const Array row = Array::vector({1.2, 0.4});
  EXPECT_EQ(unreduced_cross_entropy_loss(target, row).shape(), Shape{});
  const Array cube = Array::zeros({2, 3, 4});
  const Array classes = Array::zeros({2, 3});
  const Array losses = unreduced_cross_entropy_loss(classes, cube);
  EXPECT_EQ(losses.shape(), (Shape{2, 3}));
  for (double loss : losses.values()) EXPECT_NEAR(loss, std::log(4.0), 1e-15);
}

TEST(CrossEntropyTest, NoRowsGiveNoLosses) {
  const Array none = Array::vector({});
  const Array rows = Array::zeros({0, 4});
  EXPECT_EQ(unreduced_cross_entropy_loss(none, rows).shape(), Shape{0});
}

TEST(CrossEntropyTest, RefusesWhatDoesNotFit) {
  const Array scalar = 1;
  const Array three = Array::vector({1, 0, 1});
  EXPECT_EQ(error_of([&] { unreduced_cross_entropy_loss(three, kPreds); }),
            "the targets do not fit the predictions (expected the shape [2], found [3])");
  EXPECT_EQ(error_of([&] { unreduced_cross_entropy_loss(three, kPreds, false); }),
            "dense targets must have the shape of the predictions (expected [2, 2], found [3])");
  EXPECT_EQ(error_of([&] { unreduced_cross_entropy_loss(scalar, scalar); }),
            "a single number is not a row of logits");
  const Array outside = Array::vector({1, 2});
  EXPECT_EQ(error_of([&] { unreduced_cross_entropy_loss(outside, kPreds); }),
            "example 1: the target 2 is not a class (expected 0 … 1)");
  const Array undefined({2, 2}, {0, 1, std::numeric_limits<double>::quiet_NaN(), 0});
  EXPECT_EQ(error_of([&] { unreduced_cross_entropy_loss(undefined, kPreds, false); }),
            "example 1: a dense target is not finite (found nan)");
}

}  // namespace
}  // namespace palimpsest::metric
