#include "palimpsest/tokenizer/internal/file.h"

#include <gtest/gtest.h>

#include "palimpsest/base/error.h"
#include "tests/support/expect_error.h"

namespace palimpsest::tokenizer {
namespace {

TEST(TokenizerFileTest, TablesDoNotBecomeJson) {
  const TokenizerFile file = parse_tokenizer_file(
      R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 7}, "merges": ["a b", ["x", " y"]]}, "x": [1]})",
      "test");
  EXPECT_EQ(file.json.dump(), R"({"model":{"type":"BPE"},"x":[1]})");
  ASSERT_EQ(file.tables.vocab.size(), 2U);
  EXPECT_EQ(file.tables.vocab[1], (std::pair<std::string, int64_t>("b", 7)));
  ASSERT_EQ(file.tables.merges.size(), 2U);
  EXPECT_EQ(file.tables.merges[0], (std::pair<std::string, std::string>("a", "b")));
  EXPECT_EQ(file.tables.merges[1], (std::pair<std::string, std::string>("x", " y")));
}

TEST(TokenizerFileTest, UnigramHasAList) {
  const TokenizerFile file =
      parse_tokenizer_file(R"({"model": {"vocab": [["a", -1.5], ["b", 0]]}})", "test");
  EXPECT_TRUE(file.tables.vocab_is_list);
  EXPECT_EQ(file.tables.scores, (std::vector<double>{-1.5, 0}));
}

TEST(TokenizerFileTest, RefusesBadTables) {
  for (const char* text :
       {"", "{", "[]", "3", R"({"model": {"vocab": {"a": -1}}})",
        R"({"model": {"vocab": {"a": 1.5}}})", R"({"model": {"vocab": {"a": 99999999999}}})",
        R"({"model": {"vocab": {"a": "b"}}})", R"({"model": {"vocab": {"a": {}}}})",
        R"({"model": {"vocab": {"a": null}}})", R"({"model": {"vocab": [["a"]]}})",
        R"({"model": {"vocab": [1]}})", R"({"model": {"vocab": [["a", 1, 2]]}})",
        R"({"model": {"merges": ["ab"]}})", R"({"model": {"merges": ["a b c"]}})",
        R"({"model": {"merges": [["a"]]}})", R"({"model": {"merges": [1]}})",
        R"({"model": {"merges": [{}]}})"}) {
    EXPECT_THROW(parse_tokenizer_file(text, "test"), Error) << text;
  }
}

TEST(TokenizerFileTest, NothingFollowsAZeroByteUnseen) {
  using namespace std::string_literals;
  EXPECT_EQ(
      error_of([] { parse_tokenizer_file("{}\0{}"s, "test"); }),
      "test: this is not valid JSON: byte 3 is 0; the file is damaged: make it or copy it again");
}

TEST(TokenizerFileTest, DepthIsLimited) {
  std::string text = R"({"normalizer": )";
  for (int i = 0; i < 100000; ++i) text += '[';
  EXPECT_THROW(parse_tokenizer_file(text, "test"), Error);
}

TEST(TokenizerFileTest, AnUntypedModelIsGuessed) {
  ModelTables tables;
  tables.has_vocab = tables.has_merges = true;
  tables.vocab = {{"a", 0}};
  EXPECT_NE(load_model(parse_json("{}", ""), tables, "model"), nullptr);
  EXPECT_THROW(load_model(parse_json(R"({"type": "BPE", "dropout": 0.1})", ""), tables, "model"),
               Error);
  EXPECT_THROW(load_model(parse_json(R"({"type": "LSTM"})", ""), tables, "model"), Error);
  EXPECT_THROW(load_model(parse_json(R"({"type": "Unigram"})", ""), tables, "model"), Error);
}

// A million added tokens had taken half a minute, and a million members of an object take hours.
TEST(TokenizerFileTest, ListsAndObjectsBesideTheVocabularyAreBounded) {
  std::string list = "[0";
  for (size_t i = 0; i < kMaxAddedTokens; ++i) list += ",0";
  expect_contains(
      error_of([&] { parse_tokenizer_file("{\"added_tokens\": " + list + "]}", "test"); }),
      "test: it has a list of more than 200000 entries beside the vocabulary");
  std::string object = "{";
  for (int i = 0; i <= 10'000; ++i) object += "\"" + std::to_string(i) + "\": 0,";
  expect_contains(
      error_of([&] { parse_tokenizer_file("{\"x\": " + object + "\"x\": 0}}", "test"); }),
      "test: it has an object of more than 10000 entries");
}

}  // namespace
}  // namespace palimpsest::tokenizer
