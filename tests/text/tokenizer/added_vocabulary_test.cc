#include "palimpsest/text/tokenizer/added_vocabulary.h"

#include <gtest/gtest.h>

namespace palimpsest {
namespace {

using Strings = std::vector<std::string>;

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
  EXPECT_THROW(added.finish(strip.get(), model), Error);
}

}  // namespace
}  // namespace palimpsest
