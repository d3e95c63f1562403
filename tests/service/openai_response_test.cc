#include <gtest/gtest.h>

#include "tests/service/import_of.h"

namespace palimpsest::service {
namespace {

constexpr ResponseFormat kOpenAi = ResponseFormat::kOpenAiCompletions;

// "The sea is blue." was given with max_tokens 1; " It" is generated.
const std::string kResponse =
    R"({"id": "cmpl-1", "object": "text_completion", "model": "m", "choices": [{"index": 0,)"
    R"( "text": "The sea is blue. It", "logprobs": {"tokens": ["The", " sea", " is", " blue", ".", " It"],)"
    R"( "token_logprobs": [null, -5.5, -1.25, -2.0, -0.5, -3.0], "text_offset": [0, 3, 7, 10, 15, 16]}}],)"
    R"( "usage": {"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6}})";

TEST(OpenAiResponseTest, TheGivenTextIsScoredAndTheGeneratedIsLeftOut) {
  const ImportedTraces imported = import_of(kResponse, kOpenAi);
  ASSERT_EQ(imported.set.traces.size(), 1U);
  const trace::Trace& trace = imported.set.traces[0];
  EXPECT_EQ(imported.set.header.model, "m");
  EXPECT_EQ(trace.index, "0");
  EXPECT_EQ(trace.prompt, "The");
  EXPECT_EQ(trace.text, " sea is blue.");
  EXPECT_EQ(trace.num_labels, 4);
  EXPECT_EQ(*trace.logprob, (std::vector<double>{-5.5, -1.25, -2.0, -0.5}));
  EXPECT_EQ(*trace.tokens, (std::vector<std::string>{" sea", " is", " blue", "."}));
  EXPECT_FALSE(trace.label);
  EXPECT_EQ(imported.tokens, 4);
  EXPECT_EQ(imported.prompt_tokens, 1);
  EXPECT_EQ(imported.generated_tokens, 1);
}

TEST(OpenAiResponseTest, ThePromptIsNotScored) {
  const ImportedTraces imported = import_of(
      R"({"id": "sea", "prompt": "The sea is ", "groups": {"author": "A"}, "response": )" +
          kResponse + "}",
      kOpenAi);
  const trace::Trace& trace = imported.set.traces[0];
  EXPECT_EQ(trace.index, "sea");
  EXPECT_EQ(trace.prompt, "The sea is");
  EXPECT_EQ(trace.text, " blue.");
  EXPECT_EQ(*trace.logprob, (std::vector<double>{-2.0, -0.5}));
  EXPECT_EQ(trace.groups.at("author"), "A");
}

TEST(OpenAiResponseTest, TheRequestIsComparedWithTheTokens) {
  const std::string with_request =
      R"({"request": {"prompt": "The sea is red."}, "response": )" + kResponse + "}";
  expect_contains(refusal_of(with_request, kOpenAi),
                  "log: the tokens do not spell the text that was given");
}

TEST(OpenAiResponseTest, SeveralTextsOfOneRequest) {
  const std::string log =
      R"({"id": "q", "request": {"prompt": ["a b", "c"]}, "response": {"choices": [)"
      R"({"text": "a b", "logprobs": {"tokens": ["a", " b"], "token_logprobs": [null, -1]}},)"
      R"({"text": "c d", "logprobs": {"tokens": ["c", " d"], "token_logprobs": [null, -2]}}],)"
      R"("usage": {"prompt_tokens": 3, "completion_tokens": 1}}})";
  // The second text has one token, which nothing stands before.
  expect_contains(refusal_of(log, kOpenAi), "there is no token to score after the prompt");
  std::string two = log;
  two.replace(two.find("\"c\"]"), 4, "\"c d\"]");
  const ImportedTraces imported = import_of(two, kOpenAi);
  ASSERT_EQ(imported.set.traces.size(), 2U);
  EXPECT_EQ(imported.set.traces[0].index, "q/0");
  EXPECT_EQ(imported.set.traces[1].index, "q/1");
  EXPECT_EQ(*imported.set.traces[1].logprob, (std::vector<double>{-2}));
}

// Without the request nothing says which of the tokens of several texts were generated.
TEST(OpenAiResponseTest, UnknownLengthsAreRefused) {
  const std::string log =
      R"({"choices": [{"logprobs": {"tokens": ["a", " b"], "token_logprobs": [null, -1]}},)"
      R"({"logprobs": {"tokens": ["c", " d"], "token_logprobs": [null, -2]}}]})";
  expect_contains(refusal_of(log, kOpenAi), "nothing says how many of the tokens were given");
}

TEST(OpenAiResponseTest, CountsThatCannotBeAreNotUsed) {
  std::string response = kResponse;
  const std::string usage = R"("prompt_tokens": 5, "completion_tokens": 1)";
  response.replace(response.find(usage), usage.size(),
                   R"("prompt_tokens": -1, "completion_tokens": -9223372036854775808)");
  EXPECT_EQ(
      import_of(R"({"request": {"prompt": "The sea is blue."}, "response": )" + response + "}",
                kOpenAi)
          .tokens,
      4);
  expect_contains(refusal_of(response, kOpenAi), "fewer tokens than the service counted");
}

TEST(OpenAiResponseTest, TokensThatAreNoTextAreCutOutByTheirOffsets) {
  const ImportedTraces imported = import_of(
      R"({"choices": [{"text": "a…b", "logprobs": {"tokens": ["a", "bytes:\\xe2\\x80", "bytes:\\xa6", "b"],)"
      R"( "token_logprobs": [null, -1, -2, -3], "text_offset": [0, 1, 1, 2]}}],)"
      R"( "usage": {"prompt_tokens": 4, "completion_tokens": 0}})",
      kOpenAi);
  EXPECT_EQ(imported.set.traces[0].text, "…b");
  EXPECT_EQ(*imported.set.traces[0].tokens, (std::vector<std::string>{"", "…", "b"}));
}

TEST(OpenAiResponseTest, GeneratedTextAloneIsRefused) {
  expect_contains(
      refusal_of(
          R"({"choices": [{"text": " It", "logprobs": {"tokens": [" It"],)"
          R"( "token_logprobs": [-3.0]}}], "usage": {"prompt_tokens": 5, "completion_tokens": 1}})",
          kOpenAi),
      "generated text alone");
  expect_contains(refusal_of(R"({"choices": [{"text": " It", "logprobs": null}]})", kOpenAi),
                  "has no log-probabilities");
  expect_contains(
      refusal_of(R"({"choices": [{"text": "ab", "logprobs": {"tokens": ["a", "b"],)"
                 R"( "token_logprobs": [null, null]}}], "usage": {"completion_tokens": 0}})",
                 kOpenAi),
      "the token 'b' has no log-probability");
}

TEST(OpenAiResponseTest, ChatResponsesGetASentence) {
  const std::string chat =
      R"({"object": "chat.completion", "choices": [{"message": {"role": "assistant",)"
      R"( "content": "Blue."}, "logprobs": {"content": [{"token": "Blue", "logprob": -0.1}]}}]})";
  for (const ResponseFormat format : {kOpenAi, ResponseFormat::kVllm, ResponseFormat::kLlamaCpp}) {
    expect_contains(refusal_of(chat, format), "log: this is a response of the chat endpoint");
  }
}

TEST(OpenAiResponseTest, ErrorsOfTheServiceAreShown) {
  expect_contains(refusal_of(R"({"error": {"message": "rate limit"}})", kOpenAi), "rate limit");
}

TEST(LlamaCppResponseTest, ItsOwnEndpointScoresGeneratedTokensAlone) {
  expect_contains(
      refusal_of(R"({"content": " blue", "completion_probabilities": [{"id": 1, "token": " blue",)"
                 R"( "logprob": -0.5}]})",
                 ResponseFormat::kLlamaCpp),
      "of generated tokens alone");
}

// llama-cpp-python's server counts the token that begins every text, and does not list it: so it
// counts 6 tokens in "The sea is blue.".
std::string llama_cpp_python(const std::string& reason) {
  std::string response = kResponse;
  const auto replace = [&](const std::string& old, const std::string& by) {
    response.replace(response.find(old), old.size(), by);
  };
  replace(R"("prompt_tokens": 5)", R"("prompt_tokens": 6)");
  replace(R"("index": 0)", R"("index": 0, "finish_reason": ")" + reason + "\"");
  return response;
}

TEST(LlamaCppResponseTest, ATokenThatIsCountedAndNotListedIsNotAGivenOne) {
  const std::string response = llama_cpp_python("length");
  for (const ResponseFormat format : {kOpenAi, ResponseFormat::kLlamaCpp}) {
    const ImportedTraces imported = import_of(
        R"({"request": {"prompt": "The sea is blue."}, "response": )" + response + "}", format);
    EXPECT_EQ(imported.set.traces[0].text, " sea is blue.");
    EXPECT_EQ(imported.generated_tokens, 1);
    expect_contains(refusal_of(response, format), "log the request beside the response");
  }
}

// A model without such a token: all six were given, and the one that was generated is not listed.
TEST(LlamaCppResponseTest, LogProbabilitiesOfOtherPlacesAreRefused) {
  const std::string request = R"({"request": {"prompt": "The sea is blue. It"}, "response": )";
  for (const ResponseFormat format : {kOpenAi, ResponseFormat::kLlamaCpp}) {
    expect_contains(refusal_of(request + llama_cpp_python("length") + "}", format),
                    "each token has the log-probability of the next position");
  }
  // A service that lists no token for the end of the text that it generated.
  EXPECT_EQ(import_of(request + llama_cpp_python("stop") + "}", kOpenAi).tokens, 5);
  std::string ended = llama_cpp_python("stop");
  ended.replace(ended.find(R"("completion_tokens": 1)"), 22, R"("completion_tokens": 0)");
  expect_contains(refusal_of(request + ended + "}", ResponseFormat::kLlamaCpp),
                  "each token has the log-probability of the next position");
}

// "é" is two tokens, and so is what was generated.
TEST(LlamaCppResponseTest, SpecialTokensAndPartsOfCharactersHaveNoText) {
  const ImportedTraces imported = import_of(
      R"({"prompt": "[user]a", "request": {"prompt": "[user]a\nbé"}, "response": {"choices": [)"
      R"({"text": "[user]a\nbé", "finish_reason": "length", "logprobs": {)"
      R"("tokens": ["", "a", "\n", "b", "", "", "", ""], "text_offset": [0, 0, 1, 2, 3, 3, 4, 4],)"
      R"( "token_logprobs": [null, -1, -2, -3, -4, -5, -6, -7]}}],)"
      R"( "usage": {"prompt_tokens": 7, "completion_tokens": 2}}})",
      ResponseFormat::kLlamaCpp);
  const trace::Trace& trace = imported.set.traces[0];
  EXPECT_EQ(trace.prompt, "[user]a");
  EXPECT_EQ(*trace.tokens, (std::vector<std::string>{"\n", "b", "é", ""}));
  EXPECT_EQ(*trace.logprob, (std::vector<double>{-2, -3, -4, -5}));
}

TEST(LlamaCppResponseTest, AnEchoIsRead) {
  const ImportedTraces imported = import_of(
      R"({"model": "gguf", "choices": [{"text": "a b", "logprobs": {"content": [)"
      R"({"id": 7, "token": "a", "logprob": null}, {"id": 8, "token": " b", "logprob": -1.5}]}}],)"
      R"( "usage": {"prompt_tokens": 2, "completion_tokens": 0}})",
      ResponseFormat::kLlamaCpp);
  EXPECT_EQ(*imported.set.traces[0].logprob, (std::vector<double>{-1.5}));
  EXPECT_EQ(*imported.set.traces[0].label, (std::vector<int64_t>{8}));
}

}  // namespace
}  // namespace palimpsest::service
