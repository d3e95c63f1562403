#include <gtest/gtest.h>

#include "tests/attack/score_of.h"
#include "tests/attack/small_trace.h"

namespace palimpsest::attack {
namespace {

TEST(MinKPlusPlusScoreTest, StandardisesByTheModelsOwnDistribution) {
  // z = {1, -1.5, 0, -1, -1/sqrt(1e-6) = -1000}
  EXPECT_NEAR(*score_of("min_k_plus_plus:k=0.2", kSmallTrace), 1000, 1e-9);
  EXPECT_NEAR(*score_of("min_k_plus_plus:k=0.4", kSmallTrace), (1000 + 1.5) / 2, 1e-9);
  EXPECT_EQ(score_of("min_k_plus_plus:k=0.2", kNoLabels), 0);
}

}  // namespace
}  // namespace palimpsest::attack
