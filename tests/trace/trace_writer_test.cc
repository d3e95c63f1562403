#include "palimpsest/trace/trace_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "palimpsest/base/random.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::trace {
namespace {

Trace some_trace() {
  Trace trace{.index = "7", .alternative = 2, .text = "a \"b\"", .num_labels = 2};
  trace.logprob = {-0.123456789123, -1e-9};
  round_to_float32(trace);
  trace.mean = {-2.5, -1};
  trace.var = {0.25, 0};
  trace.argmax = {3, 4};
  trace.label = {3, 5};
  trace.groups["topic"] = "x";
  trace.grad_norm["2"] = 1.5;
  return trace;
}

TEST(TraceWriterTest, WhatIsWrittenIsRead) {
  const TempFolder folder;
  TraceWriter writer(folder.path() / "t.jsonl", {.model = "m", .dataset = "d"});
  writer.write(some_trace());
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "t.jsonl"));
  writer.commit();
  TraceReader reader(folder.path() / "t.jsonl");
  EXPECT_EQ(reader.header().model, "m");
  EXPECT_EQ(reader.header().dataset, "d");
  Trace read;
  ASSERT_TRUE(reader.next(read));
  const Trace written = some_trace();
  EXPECT_EQ(read.index, written.index);
  EXPECT_EQ(read.alternative, written.alternative);
  EXPECT_EQ(read.text, written.text);
  EXPECT_EQ(read.num_labels, written.num_labels);
  EXPECT_EQ(read.logprob, written.logprob);
  EXPECT_EQ(read.mean, written.mean);
  EXPECT_EQ(read.argmax, written.argmax);
  EXPECT_EQ(read.label, written.label);
  EXPECT_EQ(read.groups, written.groups);
  EXPECT_EQ(read.grad_norm, written.grad_norm);
  EXPECT_EQ(read.given_avg_loss, avg_loss(written));
  EXPECT_FALSE(reader.next(read));
}

TEST(TraceWriterTest, WritesTheFewestDigits) {
  EXPECT_EQ(shortest_float32(to_float32(-0.1)), -0.1);
  EXPECT_EQ(shortest_float32(to_float32(1.0 / 3)), 0.33333334);
  EXPECT_EQ(shortest_float32(0), 0);
  EXPECT_EQ(shortest_float32(to_float32(123456789012.0)), 123456790000.0);
}

// Any float32 at all, and the two steps by which digits become one: double, then float32.
TEST(TraceWriterTest, EveryFloat32ComesBack) {
  Random random(5);
  constexpr int kNumbers = 300'000;
  for (int i = 0; i < kNumbers; ++i) {
    const auto number = std::bit_cast<float>(static_cast<uint32_t>(random.next()));
    if (!std::isfinite(number)) continue;
    ASSERT_EQ(to_float32(shortest_float32(static_cast<double>(number))),
              static_cast<double>(number));
  }
}

// What was read is written with the same bytes.
TEST(TraceWriterTest, ReadingAndWritingAgainChangesNothing) {
  const TempFolder folder;
  const std::string line = trace_line(some_trace());
  folder.write("t.jsonl", trace_header_line({}) + "\n" + line + "\n");
  TraceReader reader(folder.path() / "t.jsonl");
  Trace read;
  ASSERT_TRUE(reader.next(read));
  EXPECT_EQ(trace_line(read), line);
}

TEST(TraceWriterTest, AHeaderMayNameItsFingerprint) {
  const TempFolder folder;
  folder.write("t.jsonl", trace_header_line({.model = "m", .dataset = "d", .fingerprint = "f"}));
  EXPECT_EQ(TraceReader(folder.path() / "t.jsonl").header().fingerprint, "f");
  EXPECT_EQ(trace_header_line({.model = "m"}), R"({"palimpsest_trace":1,"model":"m"})");
}

TEST(TraceWriterTest, BrokenCharactersAreReplaced) {
  Trace trace{.index = "0", .text = "\xE2\x82", .num_labels = 0};
  EXPECT_NE(trace_line(trace).find("\xEF\xBF\xBD"), std::string::npos);
}

}  // namespace
}  // namespace palimpsest::trace
