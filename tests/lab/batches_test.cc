#include "palimpsest/lab/internal/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace palimpsest::lab {
namespace {

// Example i has i + 1 tokens, all of them i; the last one is labelled.
std::vector<data::Example> staircase(int64_t count) {
  std::vector<data::Example> examples;
  for (int64_t i = 0; i < count; ++i) {
    data::Example example;
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

TEST(BatchesTest, LabelsAreCountedFromTheSecondTokenOn) {
  const Batch batch = make_batch(staircase(3), {2, 1, 0});
  EXPECT_EQ(batch.members, (std::vector<int64_t>{2, 1, 0}));
  ASSERT_EQ(batch.sequences.size(), 3U);
  EXPECT_EQ(batch.sequences[0].ids, (std::vector<int64_t>{2, 2, 2}));
  // The one token of example 0 has nothing before it.
  EXPECT_EQ(batch.lengths, (std::vector<int64_t>{1, 1, 0}));
  EXPECT_EQ(batch.num_labels, 2);
}

}  // namespace
}  // namespace palimpsest::lab
