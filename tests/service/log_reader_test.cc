#include <gtest/gtest.h>

#include "palimpsest/service/internal/logged_response.h"
#include "tests/support/expect_error.h"

namespace palimpsest::service {
namespace {

TEST(LogReaderTest, LinesArraysAndSingleResponses) {
  const auto lines = read_log("{\"a\": 1}\n\n{\"a\": 2}\n", "f");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1].where, "f:3");
  EXPECT_EQ(lines[1].response["a"], 2);
  const auto array = read_log("[{\"a\": 1},\n {\"a\": 2}]", "f");
  ASSERT_EQ(array.size(), 2U);
  EXPECT_EQ(array[1].where, "f, entry 2");
  const auto single = read_log("{\n  \"a\": 1\n}\n", "f");
  ASSERT_EQ(single.size(), 1U);
  EXPECT_EQ(single[0].where, "f");
}

TEST(LogReaderTest, AnEntryHoldsNamePromptRequestAndResponse) {
  const auto log = read_log(
      R"({"index": 7, "prompt": "Q", "groups": {"author": "A", "n": 3}, "request": {"prompt": "Q A"}, "response": {"model": "m"}})",
      "f");
  EXPECT_EQ(log[0].id, "7");
  EXPECT_EQ(log[0].prompt, "Q");
  EXPECT_EQ(log[0].groups.at("n"), "3");
  EXPECT_EQ(log[0].response["model"], "m");
  EXPECT_EQ(requested_text(log[0], 0), "Q A");
}

// OpenAI's batch files.
TEST(LogReaderTest, ABodyIsTheResponse) {
  const auto log = read_log(
      R"({"custom_id": "x", "response": {"status_code": 200, "body": {"model": "m"}}})", "f");
  EXPECT_EQ(log[0].id, "x");
  EXPECT_EQ(log[0].response["model"], "m");
}

TEST(LogReaderTest, WhatIsNoLogIsRefused) {
  EXPECT_EQ(error_of([] { read_log(" \n", "f"); }), "f: the file is empty");
  EXPECT_EQ(error_of([] { read_log("[]", "f"); }), "f: the file holds no response");
  expect_contains(error_of([] { read_log("data: {\"a\": 1}\n", "f"); }), "a stream of events");
  expect_contains(error_of([] { read_log("{\"a\": 1}\n{\"a\": \n", "f"); }), "f:2");
  expect_contains(error_of([] { read_log(R"({"id": {}, "response": {}})", "f"); }), "f: 'id'");
}

}  // namespace
}  // namespace palimpsest::service
