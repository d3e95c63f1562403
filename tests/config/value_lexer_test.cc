#include "palimpsest/config/internal/value_lexer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/expect_error.h"

namespace palimpsest::config {
namespace {

std::vector<TokenKind> words(std::string_view text, Dialect dialect) {
  std::vector<TokenKind> found;
  size_t position = 0;
  for (Token token; !(token = next_token(text, position, dialect)).is(TokenKind::kEnd);) {
    found.push_back(token.kind);
    position += token.text.size();
  }
  return found;
}

TEST(ValueLexerTest, TheLongestWordWins) {
  using enum TokenKind;
  EXPECT_EQ(words("1.5", Dialect::kOverride), (std::vector{kReal}));
  EXPECT_EQ(words("1.5.2", Dialect::kOverride), (std::vector{kReal, kReal}));
  EXPECT_EQ(words("nan", Dialect::kOverride), (std::vector{kReal}));
  EXPECT_EQ(words("nano", Dialect::kOverride), (std::vector{kIdentifier}));
  EXPECT_EQ(words("01", Dialect::kOverride), (std::vector{kWhole, kWhole}));
  EXPECT_EQ(words("true-ish", Dialect::kOverride), (std::vector{kIdentifier}));
  EXPECT_EQ(words("\\,\\ x", Dialect::kOverride), (std::vector{kEscape, kIdentifier}));
}

TEST(ValueLexerTest, SpacesBelongToPunctuation) {
  using enum TokenKind;
  EXPECT_EQ(words("a , b : c", Dialect::kOverride),
            (std::vector{kIdentifier, kComma, kIdentifier, kColon, kIdentifier}));
  EXPECT_EQ(words("[ a ]", Dialect::kOverride),
            (std::vector{kBracketOpen, kIdentifier, kBracketClose}));
  EXPECT_EQ(words("a b", Dialect::kOverride), (std::vector{kIdentifier, kSpace, kIdentifier}));
}

TEST(ValueLexerTest, DialectsDiffer) {
  using enum TokenKind;
  EXPECT_EQ(words("'a b'", Dialect::kOverride), (std::vector{kQuoted}));
  EXPECT_EQ(words("'a'", Dialect::kResolver), (std::vector{kQuoteOpen, kIdentifier, kQuoteOpen}));
  EXPECT_EQ(words("${a}", Dialect::kOverride), (std::vector{kInterpolation}));
  EXPECT_EQ(words("a=b", Dialect::kOverride), (std::vector{kIdentifier, kEqual, kIdentifier}));
  expect_contains(error_of([] { words("a=b", Dialect::kResolver); }), "'=' must be quoted");
}

TEST(ValueLexerTest, UnknownCharacters) {
  expect_contains(error_of([] { words("a é", Dialect::kOverride); }),
                  "character 3: the character 'é' must be quoted");
  expect_contains(error_of([] { words("\xc3", Dialect::kOverride); }), "must be quoted");
  expect_contains(error_of([] { words("'a", Dialect::kOverride); }), "is not closed");
}

TEST(ValueLexerTest, Unquoting) {
  EXPECT_EQ(unquote("''"), "");
  EXPECT_EQ(unquote("'a\\'b'"), "a'b");
  EXPECT_EQ(unquote("'a\\\\'"), "a\\");
  EXPECT_EQ(unquote("'a\\nb'"), "a\\nb");
}

}  // namespace
}  // namespace palimpsest::config
