#include <gtest/gtest.h>

#include "tests/service/import_of.h"

namespace palimpsest::service {
namespace {

constexpr ResponseFormat kVllmFormat = ResponseFormat::kVllm;

std::string vllm_response(const std::string& prompt_logprobs, const std::string& more = "") {
  return R"({"model": "m", "choices": [{"index": 0, "text": "!", "logprobs": null, "prompt_logprobs": )" +
         prompt_logprobs + more + R"(}], "usage": {"prompt_tokens": 3, "completion_tokens": 1}})";
}

TEST(VllmResponseTest, OneTokenPerPlace) {
  const ImportedTraces imported = import_of(
      vllm_response(
          R"([null, {"5": {"logprob": -2.5, "rank": 3, "decoded_token": " sea"}}, {"9": {"logprob": -0.5, "rank": 1, "decoded_token": " is"}}])"),
      kVllmFormat);
  const trace::Trace& trace = imported.set.traces[0];
  EXPECT_EQ(trace.text, " sea is");
  EXPECT_EQ(*trace.logprob, (std::vector<double>{-2.5, -0.5}));
  EXPECT_EQ(*trace.label, (std::vector<int64_t>{5, 9}));
  EXPECT_EQ(imported.generated_tokens, 1);
}

TEST(VllmResponseTest, IdsSayWhichTokenWasGiven) {
  const std::string list =
      R"([null, {"7": {"logprob": -0.1, "decoded_token": " lake"}, "5": {"logprob": -2.5, "decoded_token": " sea"}}])";
  expect_contains(refusal_of(vllm_response(list), kVllmFormat),
                  "nothing says which of them was given");
  const ImportedTraces imported =
      import_of(vllm_response(list, R"(, "prompt_token_ids": [1, 5])"), kVllmFormat);
  EXPECT_EQ(imported.set.traces[0].text, " sea");
  EXPECT_EQ(*imported.set.traces[0].logprob, (std::vector<double>{-2.5}));
  expect_contains(refusal_of(vllm_response(list, R"(, "prompt_token_ids": [1, 6])"), kVllmFormat),
                  "lacks a token that was given");
}

// The response does not hold the text of the first token: it may begin every text, or be the
// prompt's own.
TEST(VllmResponseTest, ThePromptIsFoundBehindATokenOfUnknownText) {
  const std::string response = vllm_response(
      R"([null, {"4": {"logprob": -1, "decoded_token": "Q"}}, {"5": {"logprob": -2, "decoded_token": ":"}}, {"6": {"logprob": -3, "decoded_token": " A"}}])");
  const auto text_behind = [&](const std::string& entry) {
    return import_of(entry + R"("response": )" + response + "}", kVllmFormat).set.traces[0].text;
  };
  EXPECT_EQ(text_behind(R"({"prompt": "Q:", )"), " A");
  EXPECT_EQ(text_behind(R"({"prompt": "Q:", "request": {"prompt": "Q: A"}, )"), " A");
  EXPECT_EQ(text_behind(R"({"prompt": "A Q:", "request": {"prompt": "A Q: A"}, )"), " A");
  expect_contains(refusal_of(R"({"prompt": "A Q:", "response": )" + response + "}", kVllmFormat),
                  "log the request beside the response");
}

TEST(VllmResponseTest, AnEchoIsReadLikeOpenAis) {
  const ImportedTraces imported = import_of(
      R"({"choices": [{"text": "a b", "logprobs": {"tokens": ["a", " b"], "token_logprobs": [null, -1.5]}}],)"
      R"( "usage": {"prompt_tokens": 2, "completion_tokens": 0}})",
      kVllmFormat);
  EXPECT_EQ(*imported.set.traces[0].logprob, (std::vector<double>{-1.5}));
}

TEST(VllmResponseTest, WhatIsMissingIsNamed) {
  expect_contains(refusal_of(R"({"choices": [{"text": "!"}]})", kVllmFormat),
                  "the choice has no 'prompt_logprobs'");
  expect_contains(refusal_of(vllm_response("[{\"5\": {\"logprob\": -1}}]"), kVllmFormat),
                  "does not begin with an entry without a log-probability");
  expect_contains(refusal_of(vllm_response("[null, {\"x\": {\"logprob\": -1}}]"), kVllmFormat),
                  "is not a token id");
}

}  // namespace
}  // namespace palimpsest::service
