#include "palimpsest/service/internal/align_tokens.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace palimpsest::service {
namespace {

GivenText given_of(const std::vector<std::string>& tokens) {
  GivenText given;
  for (const std::string& token : tokens) given.tokens.push_back({.text = token});
  return given;
}

TEST(AlignTokensTest, ThePromptEndsBetweenTokens) {
  const GivenText given = given_of({"Q", ":", " x", "\n", "A", ":", " y"});
  EXPECT_EQ(count_prompt_tokens(given, "Q: x\nA:"), 6U);
  EXPECT_EQ(count_prompt_tokens(given, "Q: x\nA: "), 6U);  // the space belongs to " y"
  EXPECT_EQ(count_prompt_tokens(given, "Q: x"), 3U);
  EXPECT_EQ(count_prompt_tokens(given, "Q: x\n"), 4U);
  EXPECT_EQ(count_prompt_tokens(given, ""), 0U);
  EXPECT_EQ(count_prompt_tokens(given_of({"<s>", "▁Q", ":", "▁y"}), "Q:"), 3U);
}

TEST(AlignTokensTest, APromptThatCannotBeFoundIsRefused) {
  const GivenText given = given_of({"Quest", "ion", ": x"});
  EXPECT_EQ(error_of([&] { count_prompt_tokens(given, "Question:"); }),
            "the prompt ends within the token ': x'; let the prompt end where a token ends, for "
            "example at a line break");
  expect_contains(error_of([&] { count_prompt_tokens(given, "Answer"); }),
                  "does not begin with the prompt");
  expect_contains(error_of([&] { count_prompt_tokens(given, "Question: x and more"); }),
                  "longer than the text");
}

// The first token has a space that the text does not have, as SentencePiece writes it.
TEST(AlignTokensTest, TheLineBreakThatEndsThePromptBelongsToIt) {
  EXPECT_EQ(count_prompt_tokens(given_of({" Q", ":", "\n", "y"}), "Q:\n"), 3U);
  EXPECT_EQ(count_prompt_tokens(given_of({"▁Q", ":", "▁", "\n", "\n", "y"}), "Q: \n"), 4U);
  EXPECT_EQ(count_prompt_tokens(given_of({"Q", ":\n", "\n", "y"}), "Q:\n"), 2U);
}

TEST(AlignTokensTest, TokensOfATextAreCountedByItsLength) {
  const GivenText given = given_of({" The", " sea", ".", "\n", " It"});
  EXPECT_EQ(count_text_tokens(given, "The sea."), 3U);
  EXPECT_EQ(count_text_tokens(given, "The sea.\n"), 4U);
  EXPECT_EQ(count_text_tokens(given, "The sea. It is blue"), 5U);
  EXPECT_EQ(count_text_tokens(given_of({"The", " sea", "", "\n"}), "The sea\n"), 2U);
  EXPECT_EQ(count_text_tokens(given_of({"<s>", "▁The", "▁sea", "▁It"}), "The sea"), 3U);
}

TEST(AlignTokensTest, EmptyTokensGetWhatStandsInTheirPlace) {
  const auto filled = [](const std::vector<std::string>& tokens, const std::string& text) {
    GivenText given = given_of(tokens);
    fill_empty_tokens(given.tokens, text);
    std::vector<std::string> texts;
    for (const GivenToken& token : given.tokens) texts.push_back(token.text);
    return texts;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(filled({"", "user", "\n", "a", "", "\n"}, "<|user|>user\na<end>\n"),
            (Texts{"<|user|>", "user", "\n", "a", "<end>", "\n"}));
  EXPECT_EQ(filled({" a", "", "", " b"}, "aé b"), (Texts{" a", "é", "", " b"}));
  EXPECT_EQ(filled({"a", "", ""}, "a<the end>"), (Texts{"a", "<the end>", ""}));
  EXPECT_EQ(filled({"", "a"}, "<a>a"), (Texts{"<a>", "a"}));
  // Not if the others do not spell the rest.
  EXPECT_EQ(filled({"a", "", "c"}, "b<end>c"), (Texts{"a", "", "c"}));
  EXPECT_EQ(filled({"a", "b", ""}, "a<end>b"), (Texts{"a", "b", ""}));
}

TEST(AlignTokensTest, TokensMustSpellTheText) {
  GivenText given = given_of({"The", " sea"});
  given.text = "The sea";
  EXPECT_NO_THROW(require_spelling(given));
  given.text = "The  sea\n";
  EXPECT_NO_THROW(require_spelling(given));
  given.text = "The lake";
  expect_contains(error_of([&] { require_spelling(given); }), "do not spell the text");
  given.text = "The sea is";
  expect_contains(error_of([&] { require_spelling(given); }), "do not spell the text");
  given.tokens[1].text = "\xEF\xBF\xBD";  // a part of a character
  EXPECT_NO_THROW(require_spelling(given));
}

}  // namespace
}  // namespace palimpsest::service
