#include <gtest/gtest.h>

#include "tests/attack/score_of.h"
#include "tests/attack/small_trace.h"

namespace palimpsest::attack {
namespace {

TEST(LossScoreTest, IsTheAverageLoss) {
  EXPECT_DOUBLE_EQ(*score_of("loss", kSmallTrace), 115.0 / 6);
  EXPECT_EQ(score_of("loss", kNoLabels), std::nullopt);
}

}  // namespace
}  // namespace palimpsest::attack
