#include "palimpsest/metric/internal/targets.h"

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

TEST(TargetsTest, EveryElementTypeGivesTheSameNumbers) {
  const std::vector<float> floats = {3, -100, 0, 7};
  const std::vector<double> doubles(floats.begin(), floats.end());
  const std::vector<int32_t> ints = {3, -100, 0, 7};
  const std::vector<int64_t> longs(ints.begin(), ints.end());
  const Prediction none;
  for (const TensorView::Values& values : {TensorView::Values(floats), TensorView::Values(doubles),
                                           TensorView::Values(ints), TensorView::Values(longs)}) {
    const Features examples = {{"y", TensorView({2, 2}, values)}};
    const Batch batch(examples, none);
    Targets targets(batch, "y", TargetKind::kSequence);
    EXPECT_EQ(targets.length(), 2);
    const auto second = targets.of(1);
    EXPECT_EQ(std::vector<int64_t>(second.begin(), second.end()), (std::vector<int64_t>{0, 7}));
    EXPECT_EQ(targets.of(0)[1], -100);
  }
}

TEST(TargetsTest, TargetsAreWholeNumbers) {
  const Prediction none;
  for (double bad : {1.5, std::nan(""), HUGE_VAL, -HUGE_VAL, 1e17}) {
    const Array y({1, 2}, {1, bad});
    const Features examples = {{"y", y}};
    const Batch batch(examples, none);
    Targets targets(batch, "y", TargetKind::kSequence);
    const std::string error = error_of([&] { targets.of(0); });
    EXPECT_TRUE(error.starts_with("example 0, position 1: the target is not a whole number"))
        << error;
  }
}

TEST(TargetsTest, TheShapeMustSuitTheMetric) {
  const Prediction none;
  const Array classes = Array::zeros({4});
  const Array sequences = Array::zeros({4, 3});
  const Features examples = {{"class", classes}, {"sequence", sequences}};
  const Batch batch(examples, none);
  EXPECT_EQ(
      error_of([&] { Targets(batch, "class", TargetKind::kSequence); }),
      "the target 'class' of an example has the wrong shape (expected one number per position, "
      "found the shape []); metrics of classes take one number");
  EXPECT_EQ(error_of([&] { Targets(batch, "sequence", TargetKind::kClass); }),
            "the target 'sequence' of an example has the wrong shape (expected one number, found "
            "the shape [3]); metrics whose name begins with sequence_ take several");
}

TEST(TargetsTest, MaskedTargetsAreNotCounted) {
  const std::vector<int64_t> targets = {1, 0, 2, 0, -100};
  EXPECT_EQ(count_unmasked(targets, {0}), 3);
  EXPECT_EQ(count_unmasked(targets, {0, -100}), 2);
  EXPECT_EQ(count_unmasked(targets, {}), 5);
}

}  // namespace
}  // namespace palimpsest::metric
