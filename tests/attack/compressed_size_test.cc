#include "palimpsest/attack/internal/compressed_size.h"

#include <gtest/gtest.h>

#include <string>

namespace palimpsest::attack {
namespace {

TEST(CompressedSizeTest, IsThatOfPythonsZlib) {
  EXPECT_EQ(compressed_size("abc"), 11);  // what Python's len(zlib.compress(b"abc")) gives
  EXPECT_EQ(compressed_size(""), 8);
  EXPECT_EQ(compressed_size(std::string(1000, 'a')), 17);
}

}  // namespace
}  // namespace palimpsest::attack
