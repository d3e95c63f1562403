// Small tokenizers of every kind against what transformers makes of the same 3,200 lines
// (tools/golden/tokenizer.py). Everything is exact: ids, tokens, offsets, decoded texts.

#include <gtest/gtest.h>

#include "palimpsest/tokenizer/tokenizer.h"
#include "tests/support/golden.h"

namespace palimpsest::tokenizer {
namespace {

const std::vector<std::string>& lines() {
  static const auto result =
      read_golden("tokenizer/lines.json.gz")["lines"].get<std::vector<std::string>>();
  return result;
}

Tokenizer make_tokenizer(const Json& golden) {
  const Json& files = golden["files"];
  TokenizerTexts texts;
  texts.tokenizer = files["tokenizer.json"].get<std::string>();
  texts.tokenizer_config = files["tokenizer_config.json"].get<std::string>();
  if (files.contains("config.json")) texts.model_config = files["config.json"].get<std::string>();
  return Tokenizer::from_texts(texts, "golden");
}

class TokenizerGoldenTest : public testing::TestWithParam<std::string> {
 protected:
  TokenizerGoldenTest()
      : golden_(read_golden("tokenizer/" + GetParam() + ".json.gz")),
        tokenizer_(make_tokenizer(golden_)) {}

  std::vector<int64_t> ids(size_t line) const {
    return golden_["ids"][line].get<std::vector<int64_t>>();
  }

  Json golden_;
  Tokenizer tokenizer_;
};

std::string context(size_t i) {
  return "line " + std::to_string(i) + ": " + Json(lines()[i]).dump();
}

TEST_P(TokenizerGoldenTest, IdsAreEqual) {
  ASSERT_GE(lines().size(), 3000U);
  ASSERT_EQ(golden_["ids"].size(), lines().size());
  for (size_t i = 0; i < lines().size(); ++i) {
    ASSERT_EQ(tokenizer_.encode(lines()[i]).ids, ids(i)) << context(i);
  }
}

TEST_P(TokenizerGoldenTest, BatchesAreEqual) {
  const std::vector<Encoding> encodings = tokenizer_.encode_batch(lines(), {}, 3);
  ASSERT_EQ(encodings.size(), lines().size());
  for (size_t i = 0; i < lines().size(); ++i) ASSERT_EQ(encodings[i].ids, ids(i)) << context(i);
}

TEST_P(TokenizerGoldenTest, TokensOffsetsAndMasksAreEqual) {
  ASSERT_GT(golden_["details"].size(), 500U);
  for (const auto& item : golden_["details"].items()) {
    const auto i = static_cast<size_t>(std::stoul(item.key()));
    const Encoding encoding =
        tokenizer_.encode(lines()[i], {.with_tokens = true, .with_offsets = true});
    ASSERT_EQ(encoding.ids, ids(i)) << context(i);
    ASSERT_EQ(encoding.tokens, item.value()["tokens"].get<std::vector<std::string>>())
        << context(i);
    Json offsets = Json::array();
    for (const TextOffset& offset : encoding.offsets) offsets.push_back({offset.begin, offset.end});
    ASSERT_EQ(offsets, item.value()["offsets"]) << context(i);
    ASSERT_EQ(Json(encoding.special_tokens_mask), item.value()["mask"]) << context(i);
    const Encoding plain = tokenizer_.encode(lines()[i], {.add_special_tokens = false});
    ASSERT_EQ(plain.ids, item.value()["plain"].get<std::vector<int64_t>>()) << context(i);
  }
}

TEST_P(TokenizerGoldenTest, DecodedTextsAreEqual) {
  for (size_t i = 0; i < lines().size(); ++i) {
    const Json& kept = golden_["decoded"][i];
    const std::string text = kept.is_null() ? lines()[i] : kept.get<std::string>();
    ASSERT_EQ(tokenizer_.decode(ids(i)), text) << context(i);
    const Json& skipped = golden_["decoded_skipping"][i];
    ASSERT_EQ(tokenizer_.decode(ids(i), {.skip_special_tokens = true}),
              skipped.is_null() ? text : skipped.get<std::string>())
        << context(i);
  }
}

TEST_P(TokenizerGoldenTest, TruncatedIdsAreEqual) {
  ASSERT_GT(golden_["truncated"].size(), 100U);
  for (const auto& item : golden_["truncated"].items()) {
    const auto i = static_cast<size_t>(std::stoul(item.key()));
    const auto max_length = item.value()["max_length"].get<int64_t>();
    ASSERT_EQ(tokenizer_.encode(lines()[i], {.max_length = max_length}).ids,
              item.value()["ids"].get<std::vector<int64_t>>())
        << context(i);
  }
}

TEST_P(TokenizerGoldenTest, VocabularyAndSpecialTokensAreEqual) {
  EXPECT_EQ(tokenizer_.vocab_size(), golden_["size"].get<int64_t>());
  for (const auto& item : golden_["special_tokens"].items()) {
    const Json& id = golden_["special_ids"][item.key()];
    if (item.value().is_null()) {
      const bool replaced = item.key() == "eos_token" || item.key() == "pad_token";
      EXPECT_EQ(tokenizer_.special_token(item.key()).has_value(), replaced) << item.key();
      continue;
    }
    EXPECT_EQ(tokenizer_.special_token(item.key()), item.value().get<std::string>()) << item.key();
    EXPECT_EQ(tokenizer_.special_token_id(item.key()), id.get<int64_t>()) << item.key();
  }
}

INSTANTIATE_TEST_SUITE_P(All, TokenizerGoldenTest,
                         testing::Values("gpt2", "pythia", "llama3", "llama2", "mistral", "gemma",
                                         "qwen", "phi", "roberta", "t5", "unigram_bytes", "bert",
                                         "bert_cased", "accents", "word_level", "suffix", "prefix",
                                         "prefix_fused", "deepseek", "bloom", "added"),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace palimpsest::tokenizer
