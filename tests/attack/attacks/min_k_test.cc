#include <gtest/gtest.h>

#include <cmath>

#include "tests/attack/score_of.h"
#include "tests/attack/small_trace.h"

namespace palimpsest::attack {
namespace {

TEST(MinKScoreTest, IsTheMeanOfTheLowestWithoutTheLast) {
  EXPECT_DOUBLE_EQ(*score_of("min_k:k=0.2", kSmallTrace), 5);    // ⌊0.2 * 5⌋ = 1
  EXPECT_DOUBLE_EQ(*score_of("min_k:k=0.4", kSmallTrace), 4.5);  // 5 and 4
  EXPECT_DOUBLE_EQ(*score_of("min_k:k=1", kSmallTrace), 3);
  EXPECT_DOUBLE_EQ(*score_of("min_k:k=0.01", kSmallTrace), 5);  // at least one token
}

TEST(MinKScoreTest, IsZeroWithoutTokens) {
  EXPECT_EQ(score_of("min_k:k=0.2", kNoLabels), 0);
  const trace::Trace only_end{.index = "0", .num_labels = 1, .logprob = {{-3}}};
  EXPECT_EQ(score_of("min_k:k=0.2", only_end), 0);
  EXPECT_FALSE(std::signbit(*score_of("min_k:k=0.2", only_end)));
}

}  // namespace
}  // namespace palimpsest::attack
