#include "palimpsest/trace/trace_source.h"

#include <gtest/gtest.h>

#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/trace/trace_file.h"
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
  expect_contains(sentence, "the index '0' occurs twice");
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

std::filesystem::path written(const TraceSet& set, const std::filesystem::path& path) {
  TraceWriter writer(path, set.header);
  for (Trace trace : set.traces) {
    round_to_float32(trace);
    writer.write(trace);
  }
  writer.commit();
  return path;
}

TEST(TraceSourceTest, VisitsSomeTracesAndPassesOverTheOthers) {
  const TempFolder folder;
  const auto set = numbered(5000);
  const std::vector<size_t> numbers = {0, 1, 17, 2500, 4999};
  for (const TraceInput& input :
       {TraceInput(set), TraceInput(written(*set, folder.path() / "t.jsonl")),
        TraceInput(written(*set, folder.path() / "t.safetensors"))}) {
    std::vector<size_t> visited;
    visit_traces(input, numbers, [&](size_t number, const Trace& trace) {
      EXPECT_EQ(trace.index, std::to_string(number));
      visited.push_back(number);
    });
    EXPECT_EQ(visited, numbers);
    const std::vector<size_t> beyond = {3, 5000};
    expect_contains(error_of([&] { visit_traces(input, beyond, [](size_t, const Trace&) {}); }),
                    "the trace 5001 no longer exists");
    visit_traces(input, {}, [](size_t, const Trace&) { FAIL(); });
  }
}

TEST(TraceSourceTest, PassesOverDamageThatIsNotVisited) {
  const TempFolder folder;
  const auto path = folder.write("t.jsonl",
                                 "{\"palimpsest_trace\": 1}\n{\"index\": 0, \"num_labels\": 0}\n\n"
                                 "nonsense\n{\"index\": 2, \"num_labels\": 0}\n");
  const std::vector<size_t> numbers = {0, 2};
  int64_t visited = 0;
  visit_traces(path, numbers, [&](size_t, const Trace&) { ++visited; });
  EXPECT_EQ(visited, 2);
}

TEST(TraceSourceTest, TokensAreLeftOutOnRequest) {
  const TempFolder folder;
  auto set = numbered(3);
  for (Trace& trace : set->traces) trace.tokens = {"a", "b\"c"};
  WorkerPool pool(1);
  for (const char* name : {"t.jsonl", "t.safetensors"}) {
    const auto path = written(*set, folder.path() / name);
    for (const TraceParts parts : {TraceParts::kAll, TraceParts::kWithoutTokens}) {
      std::vector<LocatedTrace> block;
      ASSERT_TRUE(open_traces(path, parts)->next_block(block, pool));
      ASSERT_EQ(block.size(), 3U);
      EXPECT_EQ(block[2].trace.tokens.has_value(), parts == TraceParts::kAll) << name;
      EXPECT_EQ(block[2].trace.logprob->size(), 2U);
    }
  }
  // Their number is checked all the same.
  const auto wrong = folder.write("wrong.jsonl",
                                  "{\"palimpsest_trace\": 1}\n{\"index\": 0, \"num_labels\": 2, "
                                  "\"logprob\": [-1, -2], \"tokens\": [\"a\"]}\n");
  std::vector<LocatedTrace> block;
  const auto source = open_traces(wrong, TraceParts::kWithoutTokens);
  expect_contains(error_of([&] { source->next_block(block, pool); }), "wrong.jsonl:2");
}

TEST(TraceSourceTest, BlocksOfColumnsHaveABoundedNumberOfTokens) {
  const TempFolder folder;
  TraceSet set;
  for (int64_t i = 0; i < 40; ++i) {
    Trace trace{.index = std::to_string(i), .num_labels = 20'000};
    trace.logprob.emplace(20'000, -1);
    set.traces.push_back(trace);
  }
  const auto path = written(set, folder.path() / "t.safetensors");
  WorkerPool pool(1);
  const auto source = open_traces(path);
  size_t traces = 0;
  for (std::vector<LocatedTrace> block; source->next_block(block, pool);) {
    EXPECT_LE(block.size(), 13U);  // 2^18 tokens at most
    traces += block.size();
  }
  EXPECT_EQ(traces, 40U);
}

}  // namespace
}  // namespace palimpsest::trace
