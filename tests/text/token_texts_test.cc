#include "palimpsest/text/token_texts.h"

#include <gtest/gtest.h>

namespace palimpsest {
namespace {

using Ids = std::vector<int64_t>;
using Texts = std::vector<std::string>;

// Words behind a "▁", as SentencePiece writes them: the decoder drops the first space of a text.
Tokenizer metaspace() {
  return Tokenizer::from_texts({.tokenizer = R"({"version": "1.0", "added_tokens": [
    {"id": 3, "content": "</s>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
    "decoder": {"type": "Metaspace", "replacement": "▁", "add_prefix_space": true, "prepend_scheme": "always"},
    "model": {"type": "BPE", "vocab": {"▁the": 0, "▁town": 1, "s": 2}, "merges": []}})",
                                .tokenizer_config = "{}"},
                               "test");
}

// Bytes as letters: "é" is two tokens.
Tokenizer byte_level() {
  return Tokenizer::from_texts(
      {.tokenizer =
           R"({"version": "1.0", "added_tokens": [], "decoder": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
    "model": {"type": "BPE", "vocab": {"a": 0, "Ġb": 1, "Ã": 2, "©": 3}, "merges": []}})",
       .tokenizer_config = "{}"},
      "test");
}

TEST(TokenTextsTest, WordsKeepTheirSpaces) {
  EXPECT_EQ(token_texts(metaspace(), Ids{0, 1, 2, 1, 3}),
            (Texts{"the", " town", "s", " town", "</s>"}));
  EXPECT_EQ(token_texts(byte_level(), Ids{0, 1, 1}), (Texts{"a", " b", " b"}));
}

TEST(TokenTextsTest, PartsOfACharacterAreReplacementCharacters) {
  EXPECT_EQ(token_texts(byte_level(), Ids{0, 2, 3, 0}), (Texts{"a", "\uFFFD", "\uFFFD", "a"}));
}

TEST(TokenTextsTest, UnknownIdsAndNoIds) {
  EXPECT_EQ(token_texts(byte_level(), Ids{}), Texts{});
  EXPECT_EQ(token_texts(byte_level(), Ids{0, 77, 0}), (Texts{"a", "", "a"}));
}

}  // namespace
}  // namespace palimpsest
