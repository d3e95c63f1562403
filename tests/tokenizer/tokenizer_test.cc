#include "palimpsest/tokenizer/tokenizer.h"

#include <gtest/gtest.h>

#include "palimpsest/base/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::tokenizer {
namespace {

// Characters a, b, space; <s> and </s> are added.
std::string small_file(const std::string& more = "") {
  return R"({"version": "1.0", "added_tokens": [
    {"id": 4, "content": "<s>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
    {"id": 5, "content": "</s>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
    "decoder": {"type": "Fuse"}, )" +
         more + R"(
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, " ": 2, "ab": 3}, "merges": ["a b"]}})";
}

Tokenizer make(const std::string& config = "{}", const std::string& more = "") {
  return Tokenizer::from_texts({.tokenizer = small_file(more), .tokenizer_config = config}, "test");
}

using Ids = std::vector<int64_t>;

TEST(TokenizerTest, EncodesAndDecodes) {
  const Tokenizer tokenizer = make();
  EXPECT_EQ(tokenizer.encode("ab<s>ba").ids, (Ids{3, 4, 1, 0}));
  EXPECT_EQ(tokenizer.decode(Ids{3, 4, 1, 99, -1}), "ab<s>b");
  EXPECT_EQ(tokenizer.decode(Ids{3, 4, 1}, {.skip_special_tokens = true}), "abb");
  EXPECT_EQ(tokenizer.vocab_size(), 6);
  EXPECT_EQ(tokenizer.token_to_id("<s>"), 4);
  EXPECT_EQ(tokenizer.token_to_id("nothing"), std::nullopt);
  EXPECT_EQ(tokenizer.id_to_token(3), "ab");
  EXPECT_TRUE(tokenizer.is_special(5));
  EXPECT_FALSE(tokenizer.is_special(3));
}

TEST(TokenizerTest, InvalidUtf8GivesTheByteOffset) {
  const Tokenizer tokenizer = make();
  try {
    tokenizer.encode("ab\xFF");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("byte 2"), std::string::npos) << error.what();
  }
  const std::vector<std::string> texts = {"a", "\xFF"};
  EXPECT_THROW(tokenizer.encode_batch(texts), Error);
}

TEST(TokenizerTest, AbsentEndAndPaddingTokens) {
  EXPECT_EQ(make().special_token("eos_token"), "<|endoftext|>");
  EXPECT_EQ(make().eos_id(), std::nullopt);
  EXPECT_EQ(make().bos_id(), std::nullopt);
  const Tokenizer tokenizer = make(R"({"eos_token": "</s>", "bos_token": "<s>"})");
  EXPECT_EQ(tokenizer.eos_id(), 5);
  EXPECT_EQ(tokenizer.pad_id(), 5);
  EXPECT_EQ(tokenizer.bos_id(), 4);
}

TEST(TokenizerTest, LlamaPutsItsOwnTokensAround) {
  const std::string config = R"({"tokenizer_class": "LlamaTokenizer", "eos_token": "</s>",
                                 "bos_token": "<s>", "unk_token": null, "add_eos_token": true})";
  EXPECT_EQ(make(config).encode("a").ids, (Ids{4, 0, 5}));
  EXPECT_EQ(make(config).encode("a", {.add_special_tokens = false}).ids, (Ids{0}));
}

TEST(TokenizerTest, Truncates) {
  const std::string config = R"({"tokenizer_class": "LlamaTokenizer", "unk_token": null})";
  const Tokenizer tokenizer = make(config);
  EXPECT_EQ(tokenizer.encode("a a a", {.max_length = 3}).ids, (Ids{4, 0, 2}));
  EXPECT_EQ(tokenizer.encode("a a a", {.add_special_tokens = false, .max_length = 0}).ids, Ids());
  EXPECT_THROW(tokenizer.encode("a", {.max_length = 0}), Error);
  const Tokenizer left = make(R"({"truncation_side": "left"})");
  EXPECT_EQ(left.encode("a b", {.max_length = 2}).ids, (Ids{2, 1}));
}

TEST(TokenizerTest, OffsetsCountCharactersOrBytes) {
  const Tokenizer tokenizer = make(
      "{}", R"("normalizer": {"type": "Replace", "pattern": {"String": "é"}, "content": "a"},)");
  const Encoding characters = tokenizer.encode("éb é", {.with_tokens = true, .with_offsets = true});
  EXPECT_EQ(characters.tokens, (std::vector<std::string>{"ab", " ", "a"}));
  EXPECT_EQ(characters.offsets, (std::vector<TextOffset>{{0, 2}, {2, 3}, {3, 4}}));
  const Encoding bytes = tokenizer.encode("éb é", {.with_offsets = true, .byte_offsets = true});
  EXPECT_EQ(bytes.offsets, (std::vector<TextOffset>{{0, 3}, {3, 4}, {4, 6}}));
  EXPECT_TRUE(bytes.tokens.empty());
}

TEST(TokenizerTest, SpecialTokensOfOlderFolders) {
  const Tokenizer tokenizer = Tokenizer::from_texts(
      {.tokenizer = small_file(),
       .special_tokens_map =
           R"({"bos_token": {"content": "<s>", "lstrip": true, "normalized": false,
                                 "rstrip": false, "single_word": false}, "pad_token": "<pad>"})",
       .added_tokens = R"({"<extra>": 6})"},
      "test");
  EXPECT_EQ(tokenizer.bos_id(), 4);
  EXPECT_EQ(tokenizer.token_to_id("<extra>"), 6);
  EXPECT_EQ(tokenizer.pad_id(), 7);
}

// A file that changes the tokenizer belongs to its fingerprint. special_tokens_map.json always
// does.
TEST(TokenizerTest, TheFilesOfAFolderAreThoseThatDecide) {
  const TempFolder folder;
  const auto names = [&] {
    std::vector<std::string> found;
    for (const std::filesystem::path& file : Tokenizer::files(folder.path()))
      found.push_back(file.filename().string());
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(), Names());
  folder.write("tokenizer.json", small_file());
  folder.write("config.json", R"({"model_type": "gpt2"})");
  folder.write("added_tokens.json", R"({"<extra>": 6})");
  EXPECT_EQ(names(), (Names{"tokenizer.json", "added_tokens.json", "config.json"}));
  EXPECT_EQ(Tokenizer::load(folder.path()).token_to_id("<extra>"), 6);
  EXPECT_EQ(Tokenizer::load(folder.path()).special_token("bos_token"), "<|endoftext|>");
  folder.write("tokenizer_config.json",
               R"({"added_tokens_decoder": {}, "tokenizer_class": "PreTrainedTokenizer"})");
  folder.write("special_tokens_map.json", "{}");
  EXPECT_EQ(names(), (Names{"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"}));
  EXPECT_EQ(Tokenizer::load(folder.path()).token_to_id("<extra>"), std::nullopt);
  EXPECT_EQ(Tokenizer::load(folder.path()).special_token("bos_token"), std::nullopt);
}

TEST(TokenizerTest, ErrorsNameTheFileAndTheComponent) {
  const auto message = [](const std::string& more) -> std::string {
    try {
      make("{}", more);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(R"("normalizer": {"type": "Odd"},)")
                .rfind("test/tokenizer.json: normalizer (Odd)", 0),
            0U);
  EXPECT_EQ(message(R"("pre_tokenizer": {"type": "Split"},)")
                .rfind("test/tokenizer.json: pre_tokenizer (Split)", 0),
            0U);
  EXPECT_THROW(make("[]"), Error);
  EXPECT_THROW(make(R"({"add_bos_token": 1, "tokenizer_class": "LlamaTokenizer"})"), Error);
  EXPECT_THROW(make(R"({"added_tokens_decoder": {"x": {"content": "a"}}})"), Error);
  EXPECT_THROW(Tokenizer::load("/nowhere/at/all"), Error);
}

TEST(TokenizerTest, AddedTokensAreBounded) {
  std::string decoder = "{\"added_tokens_decoder\": {";
  for (int i = 0; i <= 200'000; ++i) {
    decoder += (i == 0 ? "\"" : ",\"") + std::to_string(i) + R"(": {"content": "x"})";
  }
  expect_contains(error_of([&] { make(decoder + "}}"); }),
                  "'added_tokens_decoder' has 200001 added tokens (expected at most 200000)");
}

// The pieces of a text grow as little together as one text may.
TEST(TokenizerTest, PreTokenizersAreBounded) {
  std::string members = R"({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false,
                                "use_regex": false})";
  const std::string member = members;
  for (int i = 0; i < 40; ++i) members += ", " + member;
  const Tokenizer tokenizer =
      make("{}", R"("pre_tokenizer": {"type": "Sequence", "pretokenizers": [)" + members + "]},");
  expect_contains(error_of([&] { tokenizer.encode("\xC3\xA9"); }), "while it is normalized");
}

}  // namespace
}  // namespace palimpsest::tokenizer
