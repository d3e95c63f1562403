#include "palimpsest/run/internal/plan.h"

#include <gtest/gtest.h>

#include <set>

namespace palimpsest::run {
namespace {

data::Example example_of(std::vector<int64_t> prompt, std::vector<int64_t> answer) {
  data::Example example{.ids = prompt,
                        .labels = std::vector<int64_t>(prompt.size(), kIgnoredLabel)};
  example.prompt_ids = std::move(prompt);
  example.ids.insert(example.ids.end(), answer.begin(), answer.end());
  example.labels.insert(example.labels.end(), answer.begin(), answer.end());
  return example;
}

TEST(PlanTest, RunsEachSequenceOnce) {
  const std::vector<data::Example> forget = {example_of({1, 2}, {3}), example_of({1, 2}, {4, 5}),
                                             example_of({1, 2}, {3})};
  const std::vector<data::Example> holdout = {example_of({1, 2}, {4, 5}), example_of({9}, {3})};
  const TracePlan plan = plan_traces(
      {make_example_list("forget", forget), make_example_list("holdout", holdout)}, 100);
  EXPECT_EQ(plan.sequences.size(), 3U);
  EXPECT_EQ(plan.sequence_indices[0], (std::vector<size_t>{0, 1, 0}));
  EXPECT_EQ(plan.sequence_indices[1], (std::vector<size_t>{1, 2}));
  EXPECT_EQ(plan.tokens, 3 + 4 + 2);
}

// Nothing is copied: of a large data set there may be no second one in memory.
TEST(PlanTest, PointsAtTheCallersExamples) {
  const std::vector<data::Example> list = {example_of({1, 2}, {3}), example_of({4}, {5})};
  const TracePlan plan = plan_traces({make_example_list("list", list)}, 100);
  EXPECT_EQ(plan.sequences, (std::vector<const data::Example*>{&list[0], &list[1]}));
}

TEST(PlanTest, LabelsMakeADifference) {
  std::vector<data::Example> list = {example_of({1, 2}, {3}), example_of({1, 2}, {3})};
  list[1].labels[1] = 2;
  EXPECT_EQ(plan_traces({make_example_list("list", list)}, 100).sequences.size(), 2U);
}

TEST(PlanTest, FillsBatchesLongestFirstAndKeepsPromptsTogether) {
  std::vector<data::Example> list;
  for (int64_t i = 0; i < 6; ++i)
    list.push_back(example_of({i % 2}, std::vector<int64_t>(static_cast<size_t>(1 + i), 5 + i)));
  const TracePlan plan = plan_traces({make_example_list("list", list)}, 9);
  std::set<size_t> seen;
  for (const auto& batch : plan.batches) {
    size_t tokens = 0;
    for (const size_t number : batch) {
      EXPECT_TRUE(seen.insert(number).second);
      tokens += plan.sequences[number]->ids.size();
    }
    EXPECT_TRUE(tokens <= 9 || batch.size() == 1);
  }
  EXPECT_EQ(seen.size(), 6U);
  // The longest sequence is number 5, whose prompt 1, 3 and 5 share.
  EXPECT_EQ(plan.batches.front().front() % 2, 1U);
}

TEST(PlanTest, ASequenceLongerThanABatchRunsAlone) {
  const std::vector<data::Example> list = {example_of({1}, {2, 3, 4, 5, 6}), example_of({2}, {3})};
  EXPECT_EQ(plan_traces({make_example_list("list", list)}, 3).batches.size(), 2U);
}

}  // namespace
}  // namespace palimpsest::run
