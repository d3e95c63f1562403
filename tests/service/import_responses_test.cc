#include "palimpsest/service/import_responses.h"

#include <gtest/gtest.h>

#include <stop_token>

#include "palimpsest/base/error.h"
#include "tests/service/import_of.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::service {
namespace {

constexpr ResponseFormat kFormat = ResponseFormat::kOpenAiCompletions;

std::string echo_of(const std::string& model, double logprob) {
  return R"({"model": ")" + model +
         R"(", "choices": [{"text": "a b", "logprobs": {"tokens": ["a", " b"], "token_logprobs": [null, )" +
         std::to_string(logprob) + R"(]}}], "usage": {"completion_tokens": 0}})";
}

TEST(ImportResponsesTest, FilesFollowEachOther) {
  const TempFolder folder;
  const auto first = folder.write("a.jsonl", echo_of("m", -1) + "\n" + echo_of("m", -2) + "\n");
  const auto second = folder.write("b.json", "[" + echo_of("m", -3) + "]");
  const ImportedTraces imported = import_responses({first, second}, {.dataset = "d"});
  ASSERT_EQ(imported.set.traces.size(), 3U);
  EXPECT_EQ(imported.set.traces[2].index, "2");
  EXPECT_EQ(*imported.set.traces[2].logprob, (std::vector<double>{-3}));
  EXPECT_EQ(imported.set.header.model, "m");
  EXPECT_EQ(imported.set.header.dataset, "d");
}

TEST(ImportResponsesTest, ResponsesOfTwoModelsAreRefused) {
  const std::string log = echo_of("m", -1) + "\n" + echo_of("n", -2) + "\n";
  EXPECT_EQ(refusal_of(log, kFormat),
            "log:2: the responses come from different models (found 'm' and 'n'); import each "
            "model's responses separately, or name the model with --model");
  EXPECT_EQ(import_log(log, "log", {.format = kFormat, .model = "mine"}).set.header.model, "mine");
}

TEST(ImportResponsesTest, NamesAreDistinct) {
  const std::string one = R"({"id": "x", "response": )" + echo_of("m", -1) + "}\n";
  expect_contains(refusal_of(one + one, kFormat),
                  "log:2: the name 'x' is given to two examples (found the other one at log:1)");
}

TEST(ImportResponsesTest, NumbersThatAreNoLogProbabilitiesAreRefused) {
  expect_contains(refusal_of(echo_of("m", 0.5), kFormat), "log: ");
  std::string infinite = echo_of("m", -1);
  infinite.replace(infinite.find("-1.000000"), 9, "-Infinity");
  expect_contains(refusal_of(infinite, kFormat), "not finite");
}

TEST(ImportResponsesTest, AStopIsObeyedBetweenTwoResponses) {
  std::stop_source source;
  const ImportOptions options{.format = kFormat, .stop = source.get_token()};
  const std::string one = echo_of("m", -1);
  const std::string two = echo_of("m", -2);
  EXPECT_EQ(import_log(one + "\n" + two, "log", options).set.traces.size(), 2U);
  source.request_stop();
  EXPECT_THROW(import_log(one + "\n" + two, "log", options), Stopped);
  EXPECT_THROW(import_log("[" + one + "," + two + "]", "log", options), Stopped);
}

TEST(ImportResponsesTest, FormatsAreNamed) {
  EXPECT_EQ(response_format_named("llama.cpp"), ResponseFormat::kLlamaCpp);
  expect_contains(error_of([] { response_format_named("ollama"); }), "openai-completions, vllm");
}

}  // namespace
}  // namespace palimpsest::service
