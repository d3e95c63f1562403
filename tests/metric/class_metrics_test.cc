#include "palimpsest/metric/internal/class_metrics.h"

#include "palimpsest/metric/internal/metric_of.h"
#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

TEST(CrossEntropyLossTest, WorkedExample) {
  const stat::AnyStat stat = on_example(MetricOf<CrossEntropyLoss>(), 1, Array::vector({1.2, 0.4}));
  EXPECT_TRUE(near(accum_of(stat), 1.1711006659477776, 1e-12));
  EXPECT_EQ(weight_of(stat), Array(1));
}

TEST(CrossEntropyLossTest, KeysNameTargetAndPrediction) {
  const MetricOf<CrossEntropyLoss> metric({.target_key = "label", .pred_key = "logits"});
  const Array label = 0;
  const Array logits = Array::vector({0, 0});
  const stat::AnyStat stat =
      metric.evaluate_example({{"label", label}}, Features{{"logits", logits}});
  EXPECT_TRUE(near(stat.result(), std::log(2.0), 1e-15));
  EXPECT_EQ(error_of([&] { on_example(metric, label, logits); }),
            "the example has no feature 'label' (found the keys y)");
}

TEST(CrossEntropyLossTest, RefusesBadLogitsAndTargets) {
  const MetricOf<CrossEntropyLoss> metric;
  EXPECT_EQ(error_of([&] {
              on_example(metric, 2, Array::vector({0, 0}));
            }),
            "the target 2 is not a class (expected 0 … 1)");
  EXPECT_EQ(error_of([&] {
              on_example(metric, 1, Array::vector({0, std::nan("")}));
            }),
            "the logit of class 1 is not a number");
  EXPECT_NE(error_of([&] { on_example(metric, 0, Array::vector({})); }), "");
  EXPECT_NE(error_of([&] { on_targets(metric, 0); }), "");
}

TEST(AccuracyTest, WorkedExample) {
  const stat::AnyStat stat = on_example(MetricOf<Accuracy>(), 2, Array::vector({0, 0, 1}));
  EXPECT_EQ(accum_of(stat), Array(1));
  EXPECT_EQ(weight_of(stat), Array(1));
}

TEST(AccuracyTest, OfEqualLogitsTheFirstIsPredicted) {
  EXPECT_EQ(accum_of(on_example(MetricOf<Accuracy>(), 0, Array::vector({5, 5}))), Array(1));
  EXPECT_EQ(accum_of(on_example(MetricOf<Accuracy>(), 1, Array::vector({5, 5}))), Array(0));
}

TEST(AccuracyTest, FourExamplesInTwoBatches) {
  const Array y = Array::vector({1, 0});
  const Array first({2, 2}, {0, 1, 1, 0});
  const Array second({2, 2}, {1, 0, 2, 0});
  stat::AnyStat stat = MetricOf<Accuracy>().zero();
  for (const Array* pred : {&first, &second}) {
    stat = stat.merge(evaluate_batch(MetricOf<Accuracy>(), {{"y", y}}, TensorView(*pred)));
  }
  EXPECT_EQ(stat.result(), Array(0.75));
}

TEST(AccuracyTest, OfNothingIsUndefined) {
  EXPECT_TRUE(std::isnan(MetricOf<Accuracy>().zero().result().scalar()));
}

TEST(TopKAccuracyTest, WorkedExample) {
  const stat::AnyStat stat =
      on_example(MetricOf<TopKAccuracy>({.k = 2}), 2, Array::vector({0, 0.5, 0.2}));
  EXPECT_EQ(accum_of(stat), Array(1));
  EXPECT_EQ(weight_of(stat), Array(1));
}

TEST(TopKAccuracyTest, EqualLogitsCountInTheOrderOfTheirIndices) {
  const Array tied = Array::vector({1, 3, 3, 3});
  const MetricOf<TopKAccuracy> metric({.k = 2});
  EXPECT_EQ(on_example(metric, 1, tied).result(), Array(1));
  EXPECT_EQ(on_example(metric, 2, tied).result(), Array(1));
  EXPECT_EQ(on_example(metric, 3, tied).result(), Array(0));
}

TEST(TopKAccuracyTest, SmallKIsNeverRightAndLargeKAlways) {
  const Array row = Array::vector({1, 2});
  EXPECT_EQ(on_example(MetricOf<TopKAccuracy>({.k = 0}), 1, row).result(), Array(0));
  EXPECT_EQ(on_example(MetricOf<TopKAccuracy>({.k = -3}), 1, row).result(), Array(0));
  EXPECT_EQ(on_example(MetricOf<TopKAccuracy>({.k = 2}), 0, row).result(), Array(1));
  EXPECT_EQ(on_example(MetricOf<TopKAccuracy>({.k = 99}), 0, row).result(), Array(1));
}

TEST(ConfusionMatrixTest, WorkedExample) {
  const MetricOf<ConfusionMatrix> metric({.num_classes = 3});
  const stat::AnyStat stat = on_example(metric, 2, Array::vector({0, 1, 0}));
  EXPECT_EQ(accum_of(stat), Array({3, 3}, {0, 0, 0, 0, 0, 0, 0, 1, 0}));
}

TEST(ConfusionMatrixTest, RowsAreTargetsAndColumnsPredictions) {
  const Array y = Array::vector({0, 0, 1});
  const Array pred({3, 2}, {1, 0, 0, 1, 0, 1});
  const MetricOf<ConfusionMatrix> metric({.num_classes = 2});
  EXPECT_EQ(accum_of(evaluate_batch(metric, {{"y", y}}, TensorView(pred))),
            Array({2, 2}, {1, 1, 0, 1}));
}

TEST(ConfusionMatrixTest, TheNumberOfClassesIsTheNumberOfLogits) {
  const MetricOf<ConfusionMatrix> metric({.num_classes = 2});
  EXPECT_EQ(error_of([&] {
              on_example(metric, 0, Array::vector({0, 1, 0}));
            }),
            "num_classes is not the number of logits (expected 3, found 2)");
}

TEST(ConfusionMatrixTest, RefusesANumberOfClassesThatCannotBeHeld) {
  for (int64_t bad : {int64_t{-1}, int64_t{0}, ConfusionMatrix::kMaxClasses + 1, INT64_MAX}) {
    EXPECT_NE(error_of([&] { MetricOf<ConfusionMatrix>({.num_classes = bad}); }), "") << bad;
  }
}

}  // namespace
}  // namespace palimpsest::metric
