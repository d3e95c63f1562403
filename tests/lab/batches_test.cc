#include "palimpsest/lab/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace palimpsest::lab {
namespace {

// Example i has i + 1 tokens, all of them i; the last one is labelled.
std::vector<Example> staircase(int64_t count) {
  std::vector<Example> examples;
  for (int64_t i = 0; i < count; ++i) {
    Example example;
    example.ids.assign(static_cast<size_t>(i + 1), i);
    example.labels.assign(static_cast<size_t>(i + 1), kIgnoredLabel);
    example.labels.back() = i;
    examples.push_back(std::move(example));
  }
  return examples;
}

TEST(BatchesTest, AnEpochHasEveryExampleOnce) {
  std::vector<int64_t> seen;
  const auto batches = plan_epoch(10, 4, Random(1));
  ASSERT_EQ(batches.size(), 3U);
  EXPECT_EQ(batches[2].size(), 2U);
  for (const auto& batch : batches) seen.insert(seen.end(), batch.begin(), batch.end());
  std::ranges::sort(seen);
  std::vector<int64_t> all(10);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(seen, all);
  EXPECT_EQ(plan_epoch(10, 4, Random(1)), batches);
  EXPECT_NE(plan_epoch(10, 4, Random(2)), batches);
}

TEST(BatchesTest, ShardsGatherEqualLengths) {
  const Batch batch = make_batch(staircase(8), {7, 0, 5, 2, 4, 3, 6, 1});
  ASSERT_EQ(std::ssize(batch.shards), kShards);
  EXPECT_EQ(batch.shards[0].members, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(batch.shards[3].members, (std::vector<int64_t>{6, 7}));
  EXPECT_EQ(batch.shards[3].length, 8);
  EXPECT_EQ(batch.sequences, 8);
}

TEST(BatchesTest, LabelsArePredictedFromTheTokenBefore) {
  const Batch batch = make_batch(staircase(3), {2, 1, 0});
  // The one token of example 0 has nothing before it.
  EXPECT_EQ(batch.num_labels, 2);
  const Shard& last = batch.shards[2];
  EXPECT_EQ(last.ids, (std::vector<int64_t>{2, 2, 2}));
  EXPECT_EQ(last.rows, (std::vector<int64_t>{1}));
  EXPECT_EQ(last.targets, (std::vector<int64_t>{2}));
  EXPECT_EQ(last.owners, (std::vector<int64_t>{0}));
}

TEST(BatchesTest, ShortSequencesArePaddedOnTheRight) {
  const Batch batch = make_batch(staircase(8), {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(batch.shards[1].ids, (std::vector<int64_t>{2, 2, 2, 0, 3, 3, 3, 3}));
  EXPECT_EQ(batch.shards[1].owners, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(batch.shards[1].rows, (std::vector<int64_t>{1, 6}));
}

TEST(BatchesTest, FewExamplesMakeFewShards) {
  EXPECT_EQ(make_batch(staircase(2), {1, 0}).shards.size(), 2U);
}

}  // namespace
}  // namespace palimpsest::lab
