#include "palimpsest/tokenizer/internal/token_texts.h"

#include <gtest/gtest.h>

namespace palimpsest::tokenizer {
namespace {

// A byte-level vocabulary: "Ġ" is a space, "Ã" and "©" the two bytes of "é".
Tokenizer byte_level() {
  return Tokenizer::from_texts(
      {.tokenizer = R"({"added_tokens": [{"id": 5, "content": "<end>", "special": true}],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true},
        "decoder": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true},
        "model": {"type": "BPE", "vocab": {"a": 0, "Ġ": 1, "Ġa": 2, "Ã": 3, "©": 4},
                  "merges": ["Ġ a"]}})"},
      "test");
}

TEST(TokenTextsTest, KeepSpacesAndNameHalfCharacters) {
  const std::vector<int64_t> ids = {0, 2, 3, 4, 5};
  EXPECT_EQ(token_texts(byte_level(), ids),
            (std::vector<std::string>{"a", " a", "Ã", "©", "<end>"}));
}

// Decoders of this kind drop the space that opens a text.
TEST(TokenTextsTest, KeepTheSpaceThatADecoderDrops) {
  const Tokenizer tokenizer = Tokenizer::from_texts(
      {.tokenizer = R"({"pre_tokenizer": {"type": "Metaspace", "replacement": "▁",
                         "add_prefix_space": true},
        "decoder": {"type": "Metaspace", "replacement": "▁", "add_prefix_space": true},
        "model": {"type": "BPE", "vocab": {"▁": 0, "a": 1, "▁a": 2}, "merges": ["▁ a"]}})"},
      "test");
  const std::vector<int64_t> ids = {2, 2, 1};
  EXPECT_EQ(token_texts(tokenizer, ids), (std::vector<std::string>{"a", " a", "a"}));
}

TEST(TokenTextsTest, NothingOfNothing) {
  EXPECT_TRUE(token_texts(byte_level(), {}).empty());
}

}  // namespace
}  // namespace palimpsest::tokenizer
