#include "palimpsest/run/internal/shard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support/expect_error.h"

namespace palimpsest::run {
namespace {

const std::string kOnePlan = "0123456789abcdef0123456789abcdef";

std::vector<int64_t> uneven_work(size_t count) {
  std::vector<int64_t> work;
  for (size_t i = 0; i < count; ++i) work.push_back(16384 - static_cast<int64_t>(i * 37 % 5000));
  work.back() = 12;
  return work;
}

TEST(ShardTest, EveryBatchBelongsToOneShard) {
  const std::vector<int64_t> work = uneven_work(50);
  for (const int64_t count : {1, 2, 3, 7, 50, 80}) {
    std::vector<int> taken(work.size());
    for (int64_t number = 1; number <= count; ++number) {
      const std::vector<size_t> batches = shard_batches(kOnePlan, work, {number, count});
      EXPECT_TRUE(std::ranges::is_sorted(batches));
      for (const size_t batch : batches) ++taken[batch];
    }
    EXPECT_EQ(taken, std::vector<int>(work.size(), 1)) << count;
  }
  EXPECT_TRUE(shard_batches(kOnePlan, {}, {1, 2}).empty());
}

// No share has more work than another by more than one batch.
TEST(ShardTest, SharesAreBalancedByWork) {
  const std::vector<int64_t> work = uneven_work(200);
  for (const int64_t count : {2, 3, 7}) {
    std::vector<int64_t> sums;
    for (int64_t number = 1; number <= count; ++number) {
      int64_t sum = 0;
      for (const size_t batch : shard_batches(kOnePlan, work, {number, count})) sum += work[batch];
      sums.push_back(sum);
    }
    const auto [least, most] = std::ranges::minmax(sums);
    EXPECT_LE(most - least, 16384) << count;
  }
}

// Batches are listed by the length of their items: a share is no run of neighbours, and no comb.
TEST(ShardTest, SharesAreDrawnFromAShuffle) {
  const std::vector<int64_t> work(100, 1000);
  const std::vector<size_t> first = shard_batches(kOnePlan, work, {1, 4});
  ASSERT_EQ(first.size(), 25U);
  std::vector<size_t> gaps;
  for (size_t i = 1; i < first.size(); ++i) gaps.push_back(first[i] - first[i - 1]);
  EXPECT_GT(std::ranges::max(gaps), 4U);
  EXPECT_LT(std::ranges::min(gaps), 4U);
  EXPECT_EQ(first, shard_batches(kOnePlan, work, {1, 4}));
  EXPECT_NE(first, shard_batches(std::string(32, 'b'), work, {1, 4}));
}

TEST(ShardTest, Names) {
  const Shard shard{.number = 2, .count = 7};
  EXPECT_EQ(shard.text(), "2/7");
  EXPECT_EQ(shard.part(), "shard-2-of-7");
  require_valid(shard);
  expect_contains(error_of([] {
                    require_valid({5, 4});
                  }),
                  "--shard: there is no shard 5/4 (expected 1/4 to 4/4");
  expect_contains(error_of([] { require_valid({0, 4}); }), "there is no shard 0/4");
  expect_contains(error_of([] { require_valid({1, 0}); }), "there is no shard 1/0");
}

}  // namespace
}  // namespace palimpsest::run
