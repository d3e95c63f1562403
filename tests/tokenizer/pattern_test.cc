#include "palimpsest/tokenizer/internal/pattern.h"

#include <gtest/gtest.h>

#include "palimpsest/base/error.h"

namespace palimpsest::tokenizer {
namespace {

std::vector<std::string> matches(const Pattern& pattern, std::string_view text) {
  std::vector<ByteSpan> spans;
  pattern.find_all(text, spans);
  std::vector<std::string> result;
  for (const ByteSpan& span : spans) {
    result.emplace_back(text.substr(span.begin, span.end - span.begin));
  }
  return result;
}

std::vector<std::string> matches(std::string_view expression, std::string_view text) {
  return matches(Pattern::regex(expression, "test"), text);
}

using Strings = std::vector<std::string>;

TEST(PatternTest, FindsAllMatches) {
  EXPECT_EQ(matches(R"(\p{N}{1,3})", "ab12345"), (Strings{"123", "45"}));
  EXPECT_EQ(matches(R"(\s+(?!\S)|\s+)", "a  b "), (Strings{" ", " ", " "}));
  EXPECT_EQ(matches(R"((?i:'s|'ll))", "it'S we'LL"), (Strings{"'S", "'LL"}));
  EXPECT_EQ(matches(Pattern::literal("a.b"), "a.ba.bxab"), (Strings{"a.b", "a.b"}));
}

TEST(PatternTest, EmptyMatchesDoNotFollowAMatch) {
  EXPECT_EQ(matches("x*", "axb"), (Strings{"", "x", ""}));
  EXPECT_EQ(matches(Pattern::literal(""), "é"), (Strings{"", ""}));
  EXPECT_TRUE(Pattern::regex("x*", "test").can_match_empty());
  EXPECT_FALSE(Pattern::regex("x+", "test").can_match_empty());
}

TEST(PatternTest, MeansWhatOnigurumaMeans) {
  EXPECT_EQ(matches(R"(\s)", "\u180E\u0085"), (Strings{"\u0085"}));  // PCRE2's \s has both
  EXPECT_EQ(matches(R"(\w+)", "a\u0301²b"), (Strings{"a\u0301²b"}));
  EXPECT_EQ(matches(R"(\h+)", "xAf9 "), (Strings{"Af9"}));  // hexadecimal digits
  EXPECT_EQ(matches(R"(\v)", "\n\x0B"), (Strings{"\x0B"}));
  EXPECT_EQ(matches("(?m:a.b)", "a\nb"), (Strings{"a\nb"}));  // the dot matches all
  EXPECT_EQ(matches("^b", "a\nb"), (Strings{"b"}));           // lines
  EXPECT_EQ(matches("a{,2}b", "aaab"), (Strings{"aab"}));
  EXPECT_EQ(matches(R"([^(\s|[.,])]+)", "a b(c,d|e"), (Strings{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(matches(R"(\p{Han}+)", "漢字kana"), (Strings{"漢字"}));
  EXPECT_EQ(matches(R"([\w-]+)", "a-b c"), (Strings{"a-b", "c"}));
  EXPECT_EQ(matches(R"(\bcat\b)", "cat concat"), (Strings{"cat"}));
  EXPECT_EQ(matches(R"([^\S\n]+)", "a \t\nb"), (Strings{" \t"}));
  EXPECT_EQ(matches("[\\u3040-\\u30ff]+", "aかナb"), (Strings{"かナ"}));
}

TEST(PatternTest, RefusesWhatItCannotTranslate) {
  for (const char* expression :
       {"(", "[a", "a{2}+", "a{2}?", "[a&&b]", "[a[^b]]", R"([\W])", R"(\p{Alnum})", R"(\g<x>)",
        R"(\y)", "(?~a)", R"(\xE9)", "\\", R"(\p{Nonsense})", "[[:alpha:]]", R"(\u12)"}) {
    EXPECT_THROW(Pattern::regex(expression, "test"), Error) << expression;
  }
}

TEST(PatternTest, ALongOneIsNotQuotedWhole) {
  EXPECT_EQ(shown_pattern("(é"), "(é");
  EXPECT_EQ(shown_pattern(std::string(200, 'a')), std::string(200, 'a'));
  std::string odd = std::string(199, 'a') + "é";
  EXPECT_EQ(shown_pattern(odd), std::string(199, 'a') + "…");
}

TEST(PatternTest, AMatchWithoutEndIsAnError) {
  const Pattern pattern = Pattern::regex("(a+)+$", "test");
  std::vector<ByteSpan> spans;
  EXPECT_THROW(pattern.find_all(std::string(64, 'a') + "b", spans), Error);
}

}  // namespace
}  // namespace palimpsest::tokenizer
