#include "palimpsest/trace/trace_file.h"

#include <gtest/gtest.h>

#include "palimpsest/base/internal/worker_pool.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::trace {
namespace {

const std::string kHeader = R"({"palimpsest_trace": 1, "model": "m", "dataset": "d"})"
                            "\n";

// The message with which a file of this body is refused.
std::string refusal(const std::string& body) {
  TempFolder folder;
  const auto path = folder.write("t.jsonl", body);
  return error_of([&] {
    TraceReader reader(path);
    Trace trace;
    while (reader.next(trace)) continue;
  });
}

TEST(TraceReaderTest, ReadsEveryField) {
  TempFolder folder;
  TraceReader reader(folder.write(
      "t.jsonl", kHeader + R"({"index": "7", "alternative": 2, "text": "a b",)"
                           R"( "num_labels": 3, "avg_loss": 1.5, "logprob": [-1, -3.5],)"
                           R"( "mean": [-1, -1], "var": [0.5, 1], "argmax": [3, 4],)"
                           R"( "label": [3, 5], "tokens": ["a", "b"],)"
                           R"( "groups": {"topic": "x", "year": 1999},)"
                           R"( "grad_norm": {"2": 0.5}, "unknown": {}})"
                           "\n\n"
                           R"({"index": 8, "num_labels": 0, "text": null})"
                           "\n"));
  EXPECT_EQ(reader.header().model, "m");
  EXPECT_EQ(reader.header().dataset, "d");
  Trace trace;
  ASSERT_TRUE(reader.next(trace));
  EXPECT_EQ(trace.index, "7");
  EXPECT_EQ(trace.alternative, 2);
  EXPECT_EQ(trace.text, "a b");
  EXPECT_EQ(trace.num_labels, 3);
  EXPECT_EQ(avg_loss(trace), 1.5);
  EXPECT_EQ(trace.logprob, (std::vector<double>{-1, -3.5}));
  EXPECT_EQ(trace.argmax, (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(trace.tokens, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(trace.groups.at("topic"), "x");
  EXPECT_EQ(trace.groups.at("year"), "1999");
  EXPECT_EQ(trace.grad_norm.at("2"), 0.5);
  ASSERT_TRUE(reader.next(trace));
  EXPECT_EQ(trace.index, "8");
  EXPECT_EQ(trace.text, std::nullopt);
  EXPECT_FALSE(reader.next(trace));
}

TEST(TraceReaderTest, RefusesAFileThatIsNoTraceFile) {
  expect_contains(refusal(""), "empty");
  expect_contains(refusal("{\"index\": 0}\n"), "lacks the key 'palimpsest_trace'");
  expect_contains(refusal("[]\n"), "not a trace file");
  expect_contains(refusal("{\"palimpsest_trace\": 2}\n"), "(expected version 1, found 2)");
  expect_contains(refusal("garbage\n"), "t.jsonl:1: this is not valid JSON");
}

TEST(TraceReaderTest, SaysWhichLineIsWrongAndWhy) {
  expect_contains(refusal(kHeader + "{\"index\": 0, \"num_labels\": 0}\n{oops\n"),
                  "t.jsonl:3: this is not valid JSON");
  expect_contains(refusal(kHeader + "3\n"), "t.jsonl:2: this is not a JSON object");
  expect_contains(refusal(kHeader + "{\"index\": 0}\n"),
                  "t.jsonl:2: the key 'num_labels' is missing (found the keys index)");
  expect_contains(refusal(kHeader + "{\"num_labels\": 0}\n"), "'index' is missing");
  expect_contains(refusal(kHeader + "{\"index\": 0, \"num_labels\": 1.5}\n"), "a whole number");
  expect_contains(refusal(kHeader + "{\"index\": [], \"num_labels\": 1}\n"),
                  "'index' has the wrong type");
  expect_contains(refusal(kHeader + "{\"index\": 0, \"num_labels\": 1, \"logprob\": [\"x\"]}\n"),
                  "'logprob'");
  expect_contains(refusal(kHeader + "{\"index\": 0, \"num_labels\": 1, \"logprob\": [NaN]}\n"),
                  "NaN");
  expect_contains(
      refusal(kHeader + "{\"index\": 0, \"num_labels\": 1, \"logprob\": [-Infinity]}\n"),
      "infinite");
  expect_contains(refusal(kHeader + "{\"index\": 0, \"num_labels\": 1, \"groups\": 3}\n"),
                  "'groups'");
}

TEST(TraceReaderTest, RefusesNumbersThatDoNotFit) {
  expect_contains(refusal(kHeader + "{\"index\": 0, \"num_labels\": 18446744073709551615}\n"),
                  "t.jsonl:2: 'num_labels' is too large (found 18446744073709551615)");
}

TEST(TraceReaderTest, ReadsTheSameInBlocks) {
  TempFolder folder;
  std::string body = kHeader;
  const std::string padding(3000, 'x');  // so that there are several blocks
  for (int i = 0; i < 4000; ++i) {
    if (i % 1000 == 0) body += "\n";
    body += "{\"index\": " + std::to_string(i) + ", \"num_labels\": 1, \"text\": \"" + padding +
            "\"}\n";
  }
  const auto path = folder.write("t.jsonl", body);
  TraceReader one_by_one(path);
  TraceReader in_blocks(path);
  WorkerPool pool(3);
  std::vector<LocatedTrace> block;
  Trace trace;
  int64_t blocks = 0;
  while (in_blocks.next_block(block, pool)) {
    ++blocks;
    for (const LocatedTrace& item : block) {
      ASSERT_TRUE(one_by_one.next(trace));
      ASSERT_EQ(item.trace.index, trace.index);
      ASSERT_EQ(item.trace.text, trace.text);
      ASSERT_EQ(in_blocks.where(item.line), one_by_one.where());
    }
  }
  EXPECT_FALSE(one_by_one.next(trace));
  EXPECT_TRUE(block.empty());
  EXPECT_GT(blocks, 2);
}

TEST(TraceReaderTest, RefusesTheSameExampleTwice) {
  const std::string line = "{\"index\": 0, \"num_labels\": 0}\n";
  expect_contains(refusal(kHeader + line + line), "t.jsonl:3: the index '0' occurs twice");
}

}  // namespace
}  // namespace palimpsest::trace
