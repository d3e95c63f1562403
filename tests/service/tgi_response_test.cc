#include <gtest/gtest.h>

#include "tests/service/import_of.h"

namespace palimpsest::service {
namespace {

constexpr ResponseFormat kTgiFormat = ResponseFormat::kTgi;

const std::string kGeneration =
    R"({"generated_text": "!", "details": {"finish_reason": "length", "generated_tokens": 1, "prefill": [)"
    R"({"id": 1, "text": "<s>", "logprob": null}, {"id": 30, "text": "Answer", "logprob": -4.0},)"
    R"( {"id": 31, "text": ":", "logprob": -0.25}, {"id": 32, "text": "blue", "logprob": -1.5}],)"
    R"( "tokens": [{"id": 33, "text": "!", "logprob": -1.0, "special": false}]}})";

TEST(TgiResponseTest, ThePrefillIsTheGivenText) {
  const ImportedTraces imported = import_of(kGeneration, kTgiFormat);
  const trace::Trace& trace = imported.set.traces[0];
  EXPECT_EQ(trace.prompt, "<s>");
  EXPECT_EQ(trace.text, "Answer:blue");
  EXPECT_EQ(*trace.logprob, (std::vector<double>{-4.0, -0.25, -1.5}));
  EXPECT_EQ(*trace.label, (std::vector<int64_t>{30, 31, 32}));
  EXPECT_EQ(imported.generated_tokens, 1);
}

// The tokens have lost their spaces, and "<s>" was not sent.
TEST(TgiResponseTest, SpacesAndSpecialTokensDoNotCount) {
  const ImportedTraces imported =
      import_of(R"({"prompt": "Answer: ", "request": {"inputs": "Answer: blue"}, "response": [)" +
                    kGeneration + "]}",
                kTgiFormat);
  EXPECT_EQ(imported.set.traces[0].text, "blue");
  EXPECT_EQ(*imported.set.traces[0].logprob, (std::vector<double>{-1.5}));
}

TEST(TgiResponseTest, AnEmptyPrefillSaysWhatToSwitchOn) {
  expect_contains(refusal_of(R"({"generated_text": "!", "details": {"prefill": [], "tokens": []}})",
                             kTgiFormat),
                  "--enable-prefill-logprobs");
  expect_contains(refusal_of(R"({"generated_text": "!"})", kTgiFormat), "has no 'details'");
}

}  // namespace
}  // namespace palimpsest::service
