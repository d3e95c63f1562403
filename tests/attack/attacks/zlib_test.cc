#include <gtest/gtest.h>

#include "tests/attack/score_of.h"
#include "tests/attack/small_trace.h"

namespace palimpsest::attack {
namespace {

TEST(ZlibScoreTest, DividesByTheCompressedSize) {
  EXPECT_DOUBLE_EQ(*score_of("zlib", kSmallTrace), 115.0 / 6 / 11);
  EXPECT_EQ(score_of("zlib", kNoLabels), std::nullopt);
}

}  // namespace
}  // namespace palimpsest::attack
