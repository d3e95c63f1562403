#include "palimpsest/stat/internal/validation_part.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/expect_error.h"

namespace palimpsest::stat {
namespace {

int64_t drawn(const std::vector<bool>& part) {
  return std::count(part.begin(), part.end(), true);
}

TEST(ValidationPartTest, DrawsTheShareWithOneAtLeastInEachPart) {
  EXPECT_EQ(drawn(draw_validation_part(10, 0.35, Random(1))), 3);
  EXPECT_EQ(drawn(draw_validation_part(2, 0.01, Random(1))), 1);
  EXPECT_EQ(drawn(draw_validation_part(2, 0.99, Random(1))), 1);
  EXPECT_EQ(drawn(draw_validation_part(1, 0.5, Random(1))), 0);
  EXPECT_TRUE(draw_validation_part(0, 0.5, Random(1)).empty());
}

TEST(ValidationPartTest, DependsOnTheSeedAlone) {
  EXPECT_EQ(draw_validation_part(50, 0.5, Random(1)), draw_validation_part(50, 0.5, Random(1)));
  EXPECT_NE(draw_validation_part(50, 0.5, Random(1)), draw_validation_part(50, 0.5, Random(2)));
}

TEST(ValidationPartTest, EveryItemIsEquallyLikely) {
  std::vector<int> counts(5, 0);
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    const auto part = draw_validation_part(5, 0.4, Random(seed));
    for (size_t i = 0; i < 5; ++i) counts[i] += part[i] ? 1 : 0;
  }
  for (int count : counts) EXPECT_NEAR(count, 2000, 140);  // four deviations
}

TEST(ValidationPartTest, RefusesSharesOutOfRange) {
  for (double share : {0.0, 1.0, -1.0, 1e-9, 0.9999}) {
    expect_contains(error_of([=] { draw_validation_part(4, share, Random(0)); }),
                    "expected a number from 0.001 to 0.999");
  }
}

}  // namespace
}  // namespace palimpsest::stat
