#include "palimpsest/data/internal/unknown_tokens.h"

#include <gtest/gtest.h>

namespace palimpsest::data {
namespace {

tokenizer::Tokenizer tiny_tokenizer() {
  return tokenizer::Tokenizer::load(PALIMPSEST_EXAMPLES_DIR "/tiny-tokenizer");
}

// 61% of the labels were <unk> with another model's smaller tokenizer, and nothing said so.
TEST(UnknownTokensTest, ManyUnknownTokensAreNamed) {
  const std::optional<int64_t> unknown = tiny_tokenizer().unknown_id();
  ASSERT_EQ(unknown, 0);
  const auto note = [](const std::vector<int64_t>& labels) {
    return unknown_tokens_note("forget.jsonl", {{.index = "0", .ids = labels, .labels = labels}},
                               tiny_tokenizer());
  };
  EXPECT_EQ(note({0, 0, 0, 7, 8}),
            "forget.jsonl: 3 of 5 labelled tokens are '<unk>', for text that the tokenizer cannot "
            "represent; is it the tokenizer of another model?");
  EXPECT_EQ(note({}), std::nullopt);
  std::vector<int64_t> labels(20, 7);
  labels[3] = 0;  // one in twenty
  EXPECT_EQ(note(labels), std::nullopt);
  labels.pop_back();
  EXPECT_NE(note(labels), std::nullopt);
}

TEST(UnknownTokensTest, WhatIsNotLabelledDoesNotCount) {
  EXPECT_EQ(
      unknown_tokens_note("", {{.ids = {0, 0, 7}, .labels = {-100, -100, 7}}}, tiny_tokenizer()),
      std::nullopt);
}

TEST(UnknownTokensTest, ATokenizerWithoutATokenForTheUnknownHasNone) {
  const auto bytes = tokenizer::Tokenizer::from_texts(
      {.tokenizer = R"({"model": {"type": "BPE", "vocab": {"x": 0, "y": 1}, "merges": []}})"},
      "test");
  EXPECT_EQ(bytes.unknown_id(), std::nullopt);
  EXPECT_EQ(unknown_tokens_note("", {{.ids = {0, 0}, .labels = {0, 0}}}, bytes), std::nullopt);
}

}  // namespace
}  // namespace palimpsest::data
