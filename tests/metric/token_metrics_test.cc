#include "palimpsest/metric/internal/token_metrics.h"

#include "palimpsest/metric/internal/metric_of.h"
#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

const Array kLossTargets = Array::vector({1, 0, 1});
const Array kLossLogits({3, 2}, {1.2, 0.4, 2.3, 0.1, 0.3, 3.2});

TEST(SequenceTokenCrossEntropyLossTest, WorkedExample) {
  const stat::AnyStat stat =
      on_example(MetricOf<SequenceTokenCrossEntropyLoss>(), kLossTargets, kLossLogits);
  EXPECT_TRUE(near(accum_of(stat), 1.2246634421657407, 1e-12));
  EXPECT_EQ(weight_of(stat), Array(2));
}

TEST(SequenceTokenCrossEntropyLossTest, PerPosition) {
  const MetricOf<SequenceTokenCrossEntropyLoss> metric({.per_position = true});
  const stat::AnyStat stat = on_example(metric, kLossTargets, kLossLogits);
  EXPECT_TRUE(
      near(accum_of(stat), Array::vector({1.1711006659477776, 0, 0.0535627762179632}), 1e-12));
  EXPECT_EQ(weight_of(stat), Array::vector({1, 0, 1}));
  EXPECT_TRUE(std::isnan(stat.result().values()[1]));
}

TEST(SequenceTokenCrossEntropyLossTest, MaskedPositionsAreNotLookedAt) {
  const Array logits({3, 2}, {1.2, 0.4, std::nan(""), 0.1, 0.3, 3.2});
  EXPECT_TRUE(near(on_example(MetricOf<SequenceTokenCrossEntropyLoss>(), kLossTargets, logits),
                   on_example(MetricOf<SequenceTokenCrossEntropyLoss>(), kLossTargets, kLossLogits),
                   0));
}

TEST(SequenceTokenCrossEntropyLossTest, NanNamesThePosition) {
  const Array logits({3, 2}, {1.2, 0.4, 2.3, 0.1, 0.3, std::nan("")});
  EXPECT_EQ(error_of([&] {
              on_example(MetricOf<SequenceTokenCrossEntropyLoss>(), kLossTargets, logits);
            }),
            "position 2: the logit of class 1 is not a number");
}

TEST(SequenceTokenCrossEntropyLossTest, NoMaskedValuesCountEveryToken) {
  const MetricOf<SequenceTokenCrossEntropyLoss> metric({.masked_target_values = {}});
  EXPECT_EQ(weight_of(on_example(metric, kLossTargets, kLossLogits)), Array(3));
}

const Array kSequenceLogits({3, 2}, {1.2, 0.4, 2.3, 0.1, 0.3, 3.2});

TEST(SequenceCrossEntropyLossTest, WorkedExample) {
  const stat::AnyStat stat =
      on_example(MetricOf<SequenceCrossEntropyLoss>(), Array::vector({1, 0, 1}), kSequenceLogits);
  EXPECT_TRUE(near(accum_of(stat), 1.2246634421657407, 1e-12));
  EXPECT_EQ(weight_of(stat), Array(1));
}

TEST(SequenceCrossEntropyLossTest, ASequenceThatIsMaskedThroughoutCountsNothing) {
  const stat::AnyStat stat =
      on_example(MetricOf<SequenceCrossEntropyLoss>(), Array::vector({0, 0, 0}), kSequenceLogits);
  EXPECT_EQ(weight_of(stat), Array(0));
  EXPECT_TRUE(std::isnan(stat.result().scalar()));
}

TEST(SequenceCrossEntropyLossTest, ABatchCountsSequences) {
  const Array y({3, 1}, {1, 0, 1});
  const Array pred({3, 1, 2}, {0, 0, 0, 0, 0, 0});
  const stat::AnyStat stat =
      evaluate_batch(MetricOf<SequenceCrossEntropyLoss>(), {{"y", y}}, TensorView(pred));
  EXPECT_TRUE(near(accum_of(stat), 2 * std::log(2.0), 1e-15));
  EXPECT_EQ(weight_of(stat), Array(2));
}

const Array kAccuracyTargets = Array::vector({1, 2, 2, 1, 3, 0});
const Array kAccuracyLogits({6, 4}, {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0,  //
                                     0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0});
const std::vector<double> kNoClass3 = {0, 0, 0, -HUGE_VAL};

TEST(SequenceTokenAccuracyTest, WorkedExample) {
  const stat::AnyStat stat =
      on_example(MetricOf<SequenceTokenAccuracy>(), kAccuracyTargets, kAccuracyLogits);
  EXPECT_EQ(accum_of(stat), Array(4));
  EXPECT_EQ(weight_of(stat), Array(5));
}

TEST(SequenceTokenAccuracyTest, TheLogitsMaskRulesClassesOut) {
  const MetricOf<SequenceTokenAccuracy> metric({.logits_mask = kNoClass3});
  const stat::AnyStat stat = on_example(metric, kAccuracyTargets, kAccuracyLogits);
  EXPECT_EQ(accum_of(stat), Array(3));
  EXPECT_EQ(stat.result(), Array(0.6));
}

TEST(SequenceTokenAccuracyTest, PerPosition) {
  const MetricOf<SequenceTokenAccuracy> metric({.logits_mask = kNoClass3, .per_position = true});
  const stat::AnyStat stat = on_example(metric, kAccuracyTargets, kAccuracyLogits);
  EXPECT_EQ(accum_of(stat), Array::vector({1, 0, 1, 1, 0, 0}));
  EXPECT_EQ(weight_of(stat), Array::vector({1, 1, 1, 1, 1, 0}));
}

TEST(SequenceTokenAccuracyTest, PerPositionStatisticsOfOtherLengthsDoNotMerge) {
  const MetricOf<SequenceTokenAccuracy> metric({.per_position = true});
  const stat::AnyStat two = on_example(metric, Array::vector({1, 1}), Array::zeros({2, 2}));
  const stat::AnyStat one = on_example(metric, Array::vector({1}), Array::zeros({1, 2}));
  EXPECT_NE(error_of([&] { two.merge(one); }), "");
  EXPECT_EQ(weight_of(metric.zero().merge(two)), Array::vector({1, 1}));
}

const Array kTopKTargets = Array::vector({1, 2, 2, 1, 3, 0});
const Array kTopKLogits({6, 4}, {0,   1, 0.5, 0, 1, 0.5, 0, 0, 0.8, 0, 0.7, 0,  //
                                 0.5, 1, 0,   0, 0, 0.5, 0, 1, 0.5, 0, 0.9, 0});

TEST(SequenceTokenTopKAccuracyTest, WorkedExample) {
  const MetricOf<SequenceTokenTopKAccuracy> metric({.k = 2, .logits_mask = {0, 0, 0, -HUGE_VAL}});
  const stat::AnyStat stat = on_example(metric, kTopKTargets, kTopKLogits);
  EXPECT_EQ(accum_of(stat), Array(3));
  EXPECT_EQ(weight_of(stat), Array(5));
}

TEST(SequenceTokenTopKAccuracyTest, PerPosition) {
  const MetricOf<SequenceTokenTopKAccuracy> metric(
      {.k = 2, .logits_mask = {0, 0, 0, -HUGE_VAL}, .per_position = true});
  const stat::AnyStat stat = on_example(metric, kTopKTargets, kTopKLogits);
  EXPECT_EQ(accum_of(stat), Array::vector({1, 0, 1, 1, 0, 0}));
  EXPECT_EQ(weight_of(stat), Array::vector({1, 1, 1, 1, 1, 0}));
}

TEST(SequenceTokenTopKAccuracyTest, TheExampleOfTheHeader) {
  const stat::AnyStat stat =
      on_example(MetricOf<SequenceTokenTopKAccuracy>({.k = 2}), Array::vector({1, 2}),
                 Array({2, 3}, {0, 1, 0.5, 1, 0.5, 0}));
  EXPECT_EQ(accum_of(stat), Array(1));
  EXPECT_EQ(weight_of(stat), Array(2));
}

}  // namespace
}  // namespace palimpsest::metric
