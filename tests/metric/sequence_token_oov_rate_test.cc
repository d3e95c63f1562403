#include "palimpsest/metric/internal/sequence_token_oov_rate.h"

#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

const Array kOovTargets = Array::vector({1, 2, 2, 3, 4, 0, 0});

TEST(SequenceTokenOovRateTest, WorkedExample) {
  const stat::AnyStat stat =
      on_targets(SequenceTokenOovRate({.oov_target_values = {2}}), kOovTargets);
  EXPECT_EQ(accum_of(stat), Array(2));
  EXPECT_EQ(weight_of(stat), Array(5));
}

TEST(SequenceTokenOovRateTest, AnyOfSeveralValuesIsOutOfTheVocabulary) {
  const stat::AnyStat stat =
      on_targets(SequenceTokenOovRate({.oov_target_values = {2, 4}}), kOovTargets);
  EXPECT_EQ(accum_of(stat), Array(3));
}

TEST(SequenceTokenOovRateTest, PerPosition) {
  const SequenceTokenOovRate metric({.oov_target_values = {2}, .per_position = true});
  const stat::AnyStat stat = on_targets(metric, kOovTargets);
  EXPECT_EQ(accum_of(stat), Array::vector({0, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(weight_of(stat), Array::vector({1, 1, 1, 1, 1, 0, 0}));
}

TEST(SequenceTokenOovRateTest, NeedsAtLeastOneValue) {
  EXPECT_EQ(error_of([] { SequenceTokenOovRate(SequenceTokenOovRateOptions{}); }),
            "oov_target_values is empty");
}

}  // namespace
}  // namespace palimpsest::metric
