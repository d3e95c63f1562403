#include "palimpsest/tokenizer/internal/wordpiece.h"

#include <gtest/gtest.h>

#include "palimpsest/base/error.h"
#include "tests/tokenizer/model_tokens.h"

namespace palimpsest::tokenizer {
namespace {

ModelTables wordpiece_tables(const std::vector<std::string>& vocab) {
  ModelTables result;
  for (const std::string& token : vocab) {
    result.vocab.emplace_back(token, static_cast<int64_t>(result.vocab.size()));
  }
  return result;
}

TEST(WordPieceTest, TakesTheLongestThatFits) {
  const WordPiece model({.unk_token = "[UNK]"},
                        wordpiece_tables({"[UNK]", "un", "una", "##ble", "##b", "##é"}));
  EXPECT_EQ(tokens_of(model, "unable"), (Strings{"una", "##ble"}));
  EXPECT_EQ(tokens_of(model, "unaé"), (Strings{"una", "##é"}));
  EXPECT_EQ(tokens_of(model, "unx"), (Strings{"[UNK]"}));
}

TEST(WordPieceTest, LongWordsAreUnknown) {
  const WordPiece model({.unk_token = "[UNK]", .max_input_chars_per_word = 3},
                        wordpiece_tables({"[UNK]", "a", "##a"}));
  EXPECT_EQ(tokens_of(model, "aaa"), (Strings{"a", "##a", "##a"}));
  EXPECT_EQ(tokens_of(model, "aaaa"), (Strings{"[UNK]"}));
}

TEST(WordPieceTest, WordLevelKnowsWholeWordsOnly) {
  const WordLevel model("?", wordpiece_tables({"?", "yes"}));
  EXPECT_EQ(tokens_of(model, "yes"), (Strings{"yes"}));
  EXPECT_EQ(tokens_of(model, "no"), (Strings{"?"}));
  EXPECT_THROW(tokens_of(WordLevel("?", wordpiece_tables({"yes"})), "no"), Error);
}

}  // namespace
}  // namespace palimpsest::tokenizer
