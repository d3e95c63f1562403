#include "palimpsest/tokenizer/internal/added_vocabulary.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/tokenizer/model_tokens.h"

namespace palimpsest::tokenizer {
namespace {

// The pieces that a text falls into; tokens in angle brackets.
Strings cut(const AddedVocabulary& added, std::string_view text) {
  PreTokenizedString pieces;
  pieces.reset(text, false);
  added.extract(nullptr, pieces);
  Strings result;
  for (const Piece& piece : pieces.pieces()) {
    const std::string part(pieces.text(piece));
    result.push_back(piece.token >= 0 ? "<" + part + ">" : part);
  }
  return result;
}

AddedVocabulary make(const std::vector<AddedToken>& tokens) {
  AddedVocabulary added;
  const Vocabulary model;
  added.add(tokens, model);
  added.finish(nullptr, model);
  return added;
}

TEST(AddedVocabularyTest, LeftmostThenLongest) {
  const AddedVocabulary added = make({{.content = "ab"}, {.content = "abc"}, {.content = "bcd"}});
  EXPECT_EQ(cut(added, "xabcdab"), (Strings{"x", "<abc>", "d", "<ab>"}));
}

TEST(AddedVocabularyTest, StripsAndWholeWords) {
  EXPECT_EQ(cut(make({{.content = "T", .lstrip = true}}), "a  T  b"),
            (Strings{"a", "<  T>", "  b"}));
  EXPECT_EQ(cut(make({{.content = "T", .rstrip = true}}), "a T  b"), (Strings{"a ", "<T  >", "b"}));
  EXPECT_EQ(cut(make({{.content = "T", .single_word = true}}), "aT T T_"),
            (Strings{"aT ", "<T>", " T_"}));
}

TEST(AddedVocabularyTest, IdsGoOnBehindTheModel) {
  Vocabulary model;
  model.add("a", 0);
  model.add("b", 1);
  AddedVocabulary added;
  added.add({{.content = "b", .special = true}, {.content = "x"}, {.content = "y"}}, model);
  EXPECT_EQ(added.id_of("b"), 1);
  EXPECT_EQ(added.id_of("x"), 2);
  EXPECT_EQ(added.id_of("y"), 3);
  EXPECT_TRUE(added.is_special("b"));
  added.add({{.content = "x", .lstrip = true}}, model);
  EXPECT_EQ(added.id_of("x"), 2);
  EXPECT_TRUE(added.token_of(2)->lstrip);
}

TEST(AddedVocabularyTest, SpecialTokensCanBeText) {
  AddedVocabulary added = make({{.content = "<s>", .special = true}, {.content = "T"}});
  added.set_split_special_tokens(true);
  EXPECT_EQ(cut(added, "<s>T"), (Strings{"<s>", "<T>"}));
}

TEST(AddedVocabularyTest, ATokenMustNotBecomeEmpty) {
  AddedVocabulary added;
  const Vocabulary model;
  added.add({{.content = " "}}, model);
  const auto strip = load_normalizer(
      parse_json(R"({"type": "Strip", "strip_left": true, "strip_right": true})", ""), "");
  EXPECT_THROW(added.finish(strip, model), Error);
}

TEST(AddedVocabularyTest, TokensThatShareBeginnings) {
  const AddedVocabulary added = make({{.content = "abcdef"},
                                      {.content = "abx"},
                                      {.content = "a"},
                                      {.content = "abcd"},
                                      {.content = "\xC3\xA9"},
                                      {.content = "zz"}});
  EXPECT_EQ(cut(added, "abcdefg"), (Strings{"<abcdef>", "g"}));
  EXPECT_EQ(cut(added, "abcdeabx"), (Strings{"<abcd>", "e", "<abx>"}));
  EXPECT_EQ(cut(added, "abcabc"), (Strings{"<a>", "bc", "<a>", "bc"}));
  EXPECT_EQ(cut(added, "zéz"), (Strings{"z", "<é>", "z"}));
  EXPECT_EQ(cut(added, "ab"), (Strings{"<a>", "b"}));
}

// Every token of many is found, and nothing but the longest.
TEST(AddedVocabularyTest, ManyTokens) {
  std::vector<AddedToken> tokens;
  for (int i = 0; i < 20'000; ++i) tokens.push_back({.content = "t" + std::to_string(i) + "e"});
  const AddedVocabulary added = make(tokens);
  for (const int i : {0, 1, 7, 42, 1234, 19'999}) {
    const std::string token = "t" + std::to_string(i) + "e";
    EXPECT_EQ(cut(added, "x" + token + "x"), (Strings{"x", "<" + token + ">", "x"}));
  }
  EXPECT_EQ(cut(added, "t20000e"), (Strings{"t20000e"}));
}

// Together they may grow no more than one text may.
TEST(AddedVocabularyTest, NormalizedTokensAreBounded) {
  const std::string content(1 << 20, 'b');
  const Normalizer grow = load_normalizer(
      {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", content}}, "test");
  AddedVocabulary added;
  const Vocabulary model;
  std::vector<AddedToken> tokens;
  for (int i = 0; i < 40; ++i) tokens.push_back({.content = "a" + std::to_string(i)});
  added.add(tokens, model);
  expect_contains(error_of([&] { added.finish(grow, model); }), "while it is normalized");
}

}  // namespace
}  // namespace palimpsest::tokenizer
