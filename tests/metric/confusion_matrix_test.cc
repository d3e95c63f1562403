#include "palimpsest/metric/internal/confusion_matrix.h"

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

TEST(ConfusionMatrixTest, WorkedExample) {
  const ConfusionMatrix metric({.num_classes = 3});
  const stat::AnyStat stat = on_example(metric, 2, Array::vector({0, 1, 0}));
  EXPECT_EQ(accum_of(stat), Array({3, 3}, {0, 0, 0, 0, 0, 0, 0, 1, 0}));
}

TEST(ConfusionMatrixTest, RowsAreTargetsAndColumnsPredictions) {
  const Array y = Array::vector({0, 0, 1});
  const Array pred({3, 2}, {1, 0, 0, 1, 0, 1});
  const ConfusionMatrix metric({.num_classes = 2});
  EXPECT_EQ(accum_of(evaluate_batch(metric, {{"y", y}}, TensorView(pred))),
            Array({2, 2}, {1, 1, 0, 1}));
}

TEST(ConfusionMatrixTest, TheNumberOfClassesIsTheNumberOfLogits) {
  const ConfusionMatrix metric({.num_classes = 2});
  EXPECT_EQ(error_of([&] {
              on_example(metric, 0, Array::vector({0, 1, 0}));
            }),
            "num_classes is not the number of logits (expected 3, found 2)");
}

TEST(ConfusionMatrixTest, RefusesANumberOfClassesThatCannotBeHeld) {
  for (int64_t bad : {int64_t{-1}, int64_t{0}, ConfusionMatrix::kMaxClasses + 1, INT64_MAX}) {
    EXPECT_NE(error_of([&] { ConfusionMatrix({.num_classes = bad}); }), "") << bad;
  }
}

}  // namespace
}  // namespace palimpsest::metric
