#include "palimpsest/trace/trace_writer.h"

#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace palimpsest {
namespace {

Trace some_trace() {
  Trace trace{.index = "7", .alternative = 2, .text = "a \"b\"", .num_labels = 2};
  trace.logprob = {-0.123456789123, -1e-9};
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
  EXPECT_EQ(*read.logprob, (std::vector<double>{-0.123456789, -1e-9}));
  EXPECT_EQ(read.mean, written.mean);
  EXPECT_EQ(read.argmax, written.argmax);
  EXPECT_EQ(read.label, written.label);
  EXPECT_EQ(read.groups, written.groups);
  EXPECT_EQ(read.grad_norm, written.grad_norm);
  EXPECT_DOUBLE_EQ(*read.given_avg_loss, rounded_for_trace(*avg_loss(written)));
  EXPECT_FALSE(reader.next(read));
}

TEST(TraceWriterTest, KeepsNineDigits) {
  EXPECT_EQ(rounded_for_trace(-1.23456789049), -1.23456789);
  EXPECT_EQ(rounded_for_trace(0), 0);
  EXPECT_EQ(rounded_for_trace(123456789012.0), 123456789000.0);
}

TEST(TraceWriterTest, BrokenCharactersAreReplaced) {
  Trace trace{.index = "0", .text = "\xE2\x82", .num_labels = 0};
  EXPECT_NE(trace_line(trace).find("\xEF\xBF\xBD"), std::string::npos);
}

}  // namespace
}  // namespace palimpsest
