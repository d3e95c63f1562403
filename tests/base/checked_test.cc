#include "palimpsest/base/internal/checked.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace palimpsest {
namespace {

TEST(CheckedTest, ComputesWhatFitsAndRefusesWhatDoesNot) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(checked_add(most - 1, int64_t{1}), most);
  EXPECT_THROW(checked_add(most, int64_t{1}), Error);
  EXPECT_EQ(checked_mul(int64_t{3}, int64_t{4}), 12);
  EXPECT_THROW(checked_mul(most, int64_t{2}), Error);
  EXPECT_THROW(checked_add(std::numeric_limits<uint64_t>::max(), uint64_t{1}), Error);
}

}  // namespace
}  // namespace palimpsest
