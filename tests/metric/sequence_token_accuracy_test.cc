#include "palimpsest/metric/internal/sequence_token_accuracy.h"

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

const Array kAccuracyTargets = Array::vector({1, 2, 2, 1, 3, 0});
const Array kAccuracyLogits({6, 4}, {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0,  //
                                     0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0});
const std::vector<double> kNoClass3 = {0, 0, 0, -HUGE_VAL};

TEST(SequenceTokenAccuracyTest, WorkedExample) {
  const stat::AnyStat stat = on_example(SequenceTokenAccuracy(), kAccuracyTargets, kAccuracyLogits);
  EXPECT_EQ(accum_of(stat), Array(4));
  EXPECT_EQ(weight_of(stat), Array(5));
}

TEST(SequenceTokenAccuracyTest, TheLogitsMaskRulesClassesOut) {
  const SequenceTokenAccuracy metric({.logits_mask = kNoClass3});
  const stat::AnyStat stat = on_example(metric, kAccuracyTargets, kAccuracyLogits);
  EXPECT_EQ(accum_of(stat), Array(3));
  EXPECT_EQ(stat.result(), Array(0.6));
}

TEST(SequenceTokenAccuracyTest, PerPosition) {
  const SequenceTokenAccuracy metric({.logits_mask = kNoClass3, .per_position = true});
  const stat::AnyStat stat = on_example(metric, kAccuracyTargets, kAccuracyLogits);
  EXPECT_EQ(accum_of(stat), Array::vector({1, 0, 1, 1, 0, 0}));
  EXPECT_EQ(weight_of(stat), Array::vector({1, 1, 1, 1, 1, 0}));
}

TEST(SequenceTokenAccuracyTest, PerPositionStatisticsOfOtherLengthsDoNotMerge) {
  const SequenceTokenAccuracy metric({.per_position = true});
  const stat::AnyStat two = on_example(metric, Array::vector({1, 1}), Array::zeros({2, 2}));
  const stat::AnyStat one = on_example(metric, Array::vector({1}), Array::zeros({1, 2}));
  EXPECT_NE(error_of([&] { two.merge(one); }), "");
  EXPECT_EQ(weight_of(metric.zero().merge(two)), Array::vector({1, 1}));
}

}  // namespace
}  // namespace palimpsest::metric
