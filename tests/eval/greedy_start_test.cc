#include "palimpsest/eval/internal/greedy_start.h"

#include <gtest/gtest.h>

namespace palimpsest::eval {
namespace {

const data::Example kExample{.index = "0",
                             .ids = {1, 5, 6, 7, 2},
                             .labels = {kIgnoredLabel, kIgnoredLabel, 6, 7, 2},
                             .prompt_ids = {1, 5}};

trace::Trace trace_of(std::vector<int64_t> argmax) {
  return {.num_labels = 3, .argmax = std::move(argmax), .label = std::vector<int64_t>{6, 7, 2}};
}

using Ids = std::vector<int64_t>;

TEST(GreedyStartTest, EndsAfterTheFirstChoiceThatDiffers) {
  EXPECT_EQ(greedy_start(kExample, trace_of({6, 7, 2}), std::nullopt), (Ids{6, 7, 2}));
  EXPECT_EQ(greedy_start(kExample, trace_of({6, 9, 2}), std::nullopt), (Ids{6, 9}));
  EXPECT_EQ(greedy_start(kExample, trace_of({9, 7, 2}), std::nullopt), (Ids{9}));
}

TEST(GreedyStartTest, TheLastTokenMayBeMaskedAndNoOther) {
  EXPECT_EQ(greedy_start(kExample, trace_of({6, 7, 2}), 2), (Ids{6, 7, 2}));
  EXPECT_TRUE(greedy_start(kExample, trace_of({6, 7, 2}), 5).empty());
  EXPECT_TRUE(greedy_start(kExample, trace_of({6, 7, 2}), 7).empty());
}

TEST(GreedyStartTest, SaysNothingWhereTheTextsDiffer) {
  data::Example other = kExample;
  other.prompt_ids = {1, 4};
  EXPECT_TRUE(greedy_start(other, trace_of({6, 7, 2}), std::nullopt).empty());
  other.prompt_ids = {1};
  EXPECT_TRUE(greedy_start(other, trace_of({6, 7, 2}), std::nullopt).empty());
  other.prompt_ids = {};
  EXPECT_TRUE(greedy_start(other, trace_of({6, 7, 2}), std::nullopt).empty());
  EXPECT_TRUE(greedy_start(kExample, {.num_labels = 3}, std::nullopt).empty());
}

TEST(GreedyStartTest, TheDraftIsWhatFollowsThePrompt) {
  EXPECT_EQ(ground_truth_draft(kExample), (Ids{6, 7, 2}));
  data::Example other = kExample;
  other.prompt_ids = {1, 4, 4};
  EXPECT_EQ(ground_truth_draft(other), (Ids{6, 7, 2}));
}

}  // namespace
}  // namespace palimpsest::eval
