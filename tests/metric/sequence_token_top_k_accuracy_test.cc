#include "palimpsest/metric/internal/sequence_token_top_k_accuracy.h"

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

const Array kTopKTargets = Array::vector({1, 2, 2, 1, 3, 0});
const Array kTopKLogits({6, 4}, {0,   1, 0.5, 0, 1, 0.5, 0, 0, 0.8, 0, 0.7, 0,  //
                                 0.5, 1, 0,   0, 0, 0.5, 0, 1, 0.5, 0, 0.9, 0});

TEST(SequenceTokenTopKAccuracyTest, WorkedExample) {
  const SequenceTokenTopKAccuracy metric({.k = 2, .logits_mask = {0, 0, 0, -HUGE_VAL}});
  const stat::AnyStat stat = on_example(metric, kTopKTargets, kTopKLogits);
  EXPECT_EQ(accum_of(stat), Array(3));
  EXPECT_EQ(weight_of(stat), Array(5));
}

TEST(SequenceTokenTopKAccuracyTest, PerPosition) {
  const SequenceTokenTopKAccuracy metric(
      {.k = 2, .logits_mask = {0, 0, 0, -HUGE_VAL}, .per_position = true});
  const stat::AnyStat stat = on_example(metric, kTopKTargets, kTopKLogits);
  EXPECT_EQ(accum_of(stat), Array::vector({1, 0, 1, 1, 0, 0}));
  EXPECT_EQ(weight_of(stat), Array::vector({1, 1, 1, 1, 1, 0}));
}

TEST(SequenceTokenTopKAccuracyTest, TheExampleOfTheHeader) {
  const stat::AnyStat stat = on_example(SequenceTokenTopKAccuracy({.k = 2}), Array::vector({1, 2}),
                                        Array({2, 3}, {0, 1, 0.5, 1, 0.5, 0}));
  EXPECT_EQ(accum_of(stat), Array(1));
  EXPECT_EQ(weight_of(stat), Array(2));
}

}  // namespace
}  // namespace palimpsest::metric
