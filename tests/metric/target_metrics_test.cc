#include "palimpsest/metric/internal/target_metrics.h"

#include "palimpsest/metric/internal/metric_of.h"
#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

TEST(SequenceTokenCountTest, WorkedExample) {
  const MetricOf<SequenceTokenCount> metric({.masked_target_values = {0, 2}});
  EXPECT_EQ(on_targets(metric, Array::vector({1, 2, 2, 3, 4, 0, 0})).result(), Array(3));
}

TEST(SequenceTokenCountTest, AnEmptySequenceHasNoTokens) {
  EXPECT_EQ(on_targets(MetricOf<SequenceTokenCount>(), Array::vector({})).result(), Array(0));
}

TEST(SequenceTokenCountTest, NothingCountsZero) {
  EXPECT_EQ(MetricOf<SequenceTokenCount>().zero().result(), Array(0));
}

TEST(SequenceCountTest, WorkedExample) {
  const MetricOf<SequenceCount> metric({.masked_target_values = {0, 2}});
  EXPECT_EQ(on_targets(metric, Array::vector({1, 2, 2, 3, 4, 0, 0})).result(), Array(1));
  EXPECT_EQ(on_targets(metric, Array::vector({0, 0, 0, 2})).result(), Array(0));
}

TEST(SequenceCountTest, ABatchCountsThoseThatAreNotMaskedThroughout) {
  const Array y({3, 2}, {0, 0, 0, 1, 5, 5});
  EXPECT_EQ(evaluate_batch(MetricOf<SequenceCount>(), {{"y", y}}, {}).result(), Array(2));
}

const MetricOf<SequenceTruncationRate> kMetric({.eos_target_value = 4});

TEST(SequenceTruncationRateTest, WorkedExample) {
  EXPECT_EQ(on_targets(kMetric, Array::vector({1, 2, 2, 3, 3, 3, 4})).result(), Array(0));
  EXPECT_EQ(on_targets(kMetric, Array::vector({1, 2, 2, 3, 3, 3, 3})).result(), Array(1));
}

TEST(SequenceTruncationRateTest, ASequenceThatIsMaskedThroughoutIsLeftOut) {
  EXPECT_EQ(weight_of(on_targets(kMetric, Array::vector({0, 0, 0}))), Array(0));
}

const Array kOovTargets = Array::vector({1, 2, 2, 3, 4, 0, 0});

TEST(SequenceTokenOovRateTest, WorkedExample) {
  const stat::AnyStat stat =
      on_targets(MetricOf<SequenceTokenOovRate>({.oov_target_values = {2}}), kOovTargets);
  EXPECT_EQ(accum_of(stat), Array(2));
  EXPECT_EQ(weight_of(stat), Array(5));
}

TEST(SequenceTokenOovRateTest, AnyOfSeveralValuesIsOutOfTheVocabulary) {
  const stat::AnyStat stat =
      on_targets(MetricOf<SequenceTokenOovRate>({.oov_target_values = {2, 4}}), kOovTargets);
  EXPECT_EQ(accum_of(stat), Array(3));
}

TEST(SequenceTokenOovRateTest, PerPosition) {
  const MetricOf<SequenceTokenOovRate> metric({.oov_target_values = {2}, .per_position = true});
  const stat::AnyStat stat = on_targets(metric, kOovTargets);
  EXPECT_EQ(accum_of(stat), Array::vector({0, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(weight_of(stat), Array::vector({1, 1, 1, 1, 1, 0, 0}));
}

TEST(SequenceTokenOovRateTest, NeedsAtLeastOneValue) {
  EXPECT_EQ(error_of([] { MetricOf<SequenceTokenOovRate>(); }), "oov_target_values is empty");
}

TEST(SequenceLengthTest, WorkedExample) {
  const stat::AnyStat stat =
      on_targets(MetricOf<SequenceLength>(), Array::vector({1, 2, 3, 4, 0, 0}));
  EXPECT_EQ(accum_of(stat), Array(4));
  EXPECT_EQ(weight_of(stat), Array(1));
}

TEST(SequenceLengthTest, ASequenceThatIsMaskedThroughoutIsLeftOut) {
  const Array y({3, 2}, {0, 0, 1, 0, 1, 1});
  EXPECT_EQ(evaluate_batch(MetricOf<SequenceLength>(), {{"y", y}}, {}).result(), Array(1.5));
}

}  // namespace
}  // namespace palimpsest::metric
