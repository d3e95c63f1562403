#include "palimpsest/tokenizer/internal/unicode.h"

#include <gtest/gtest.h>

namespace palimpsest::tokenizer {
namespace {

TEST(UnicodeTest, KnowsKindsOfCharacters) {
  EXPECT_TRUE(is_white_space(U'\u2003'));
  EXPECT_FALSE(is_white_space(U'\u200B'));
  EXPECT_FALSE(is_white_space(U'\u180E'));  // was a space until Unicode 6.3
  EXPECT_TRUE(is_numeric(U'Ⅷ'));
  EXPECT_FALSE(is_numeric(U'x'));
  EXPECT_TRUE(is_punctuation(U'$'));  // a symbol, but ASCII
  EXPECT_TRUE(is_punctuation(U'。'));
  EXPECT_FALSE(is_punctuation(U'€'));
  EXPECT_TRUE(is_word_character(U'_'));
  EXPECT_TRUE(is_word_character(U'\u0301'));
  EXPECT_FALSE(is_word_character(U'-'));
  EXPECT_TRUE(is_mark(U'\u0903'));  // a spacing mark
  EXPECT_FALSE(is_nonspacing_mark(U'\u0903'));
  EXPECT_TRUE(is_nonspacing_mark(U'\u0301'));
  EXPECT_TRUE(is_other(U'\0'));
  EXPECT_FALSE(is_other(U'\n'));
  EXPECT_TRUE(is_chinese_character(U'中'));
  EXPECT_FALSE(is_chinese_character(U'か'));
}

TEST(UnicodeTest, ScriptsAreNumbered) {
  EXPECT_EQ(script_of(U' '), 0);
  EXPECT_EQ(script_of(U'a'), script_of(U'z'));
  EXPECT_NE(script_of(U'a'), script_of(U'я'));
  EXPECT_EQ(script_of(U'か'), script_of(U'中'));  // by the package's rule
  EXPECT_EQ(script_of(0x10FFFF), 0);
}

TEST(UnicodeTest, OnlyOneCharacterLowersToTwo) {
  std::u32string text;
  append_lower_case(text, U'İ');
  EXPECT_EQ(text, U"i\u0307");
  text.clear();
  append_lower_case(text, U'Σ');
  append_lower_case(text, U'ß');
  append_lower_case(text, U'A');
  EXPECT_EQ(text, U"σßa");
}

}  // namespace
}  // namespace palimpsest::tokenizer
