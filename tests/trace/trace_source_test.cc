#include "palimpsest/trace/trace_source.h"

#include <gtest/gtest.h>

#include "palimpsest/trace/trace_writer.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::trace {
namespace {

std::shared_ptr<TraceSet> numbered(int64_t count) {
  auto set = std::make_shared<TraceSet>();
  set->header = {.model = "m", .dataset = "d"};
  for (int64_t i = 0; i < count; ++i) {
    Trace trace{.index = std::to_string(i), .num_labels = 2};
    trace.logprob = {-0.1 - static_cast<double>(i) / 7, -0.3};
    set->traces.push_back(trace);
  }
  return set;
}

std::vector<LocatedTrace> all_of(const TraceInput& input, int threads) {
  WorkerPool pool(threads);
  const std::unique_ptr<TraceSource> source = open_traces(input);
  std::vector<LocatedTrace> all;
  for (std::vector<LocatedTrace> block; source->next_block(block, pool);)
    all.insert(all.end(), block.begin(), block.end());
  return all;
}

TEST(TraceSourceTest, MemoryGivesTheSameTracesAsAFile) {
  const TempFolder folder;
  const auto set = numbered(2500);  // some blocks
  TraceWriter writer(folder.path() / "t.jsonl", set->header);
  for (Trace trace : set->traces) {
    round_to_float32(trace);
    writer.write(trace);
  }
  writer.commit();
  const auto file = all_of(folder.path() / "t.jsonl", 2);
  const auto memory = all_of(set, 2);
  ASSERT_EQ(memory.size(), 2500U);
  ASSERT_EQ(file.size(), memory.size());
  for (size_t i = 0; i < memory.size(); ++i) {
    EXPECT_EQ(memory[i].trace.index, file[i].trace.index);
    EXPECT_EQ(memory[i].trace.logprob, file[i].trace.logprob);
    EXPECT_EQ(memory[i].line, static_cast<int64_t>(i) + 1);
  }
}

TEST(TraceSourceTest, MemoryIsCheckedAsFilesAre) {
  auto twice = numbered(3);
  twice->traces[2].index = "0";
  const std::string sentence = error_of([&] { all_of(twice, 1); });
  expect_contains(sentence, "the index '0' was there before");
  expect_contains(sentence, "traces of d, trace 3");
  auto positive = numbered(3);
  positive->traces[1].logprob = {0.5, -1};
  expect_contains(error_of([&] { all_of(positive, 2); }), "traces of d, trace 2");
}

TEST(TraceSourceTest, KnowsWhetherThereIsAnything) {
  EXPECT_FALSE(is_given({}));
  EXPECT_FALSE(is_given(std::shared_ptr<const TraceSet>()));
  EXPECT_TRUE(is_given("t.jsonl"));
  EXPECT_TRUE(is_given(numbered(0)));
  EXPECT_EQ(file_of("t.jsonl"), "t.jsonl");
  EXPECT_EQ(file_of(numbered(1)), "");
}

}  // namespace
}  // namespace palimpsest::trace
