#include "palimpsest/tokenizer/internal/decoders.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace palimpsest::tokenizer {
namespace {

using Strings = std::vector<std::string>;

Strings decoded(const char* json, Strings tokens) {
  load_decoder(parse_json(json, "test"), "test")(tokens);
  return tokens;
}

TEST(DecodersTest, EveryKindDoesItsWork) {
  const char* byte_level =
      R"({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true})";
  EXPECT_EQ(decoded(byte_level, {"Ã", "©", "Ġx", "中"}), (Strings{"é x中"}));
  EXPECT_EQ(decoded(byte_level, {"Ã"}), (Strings{"\uFFFD"}));
  EXPECT_EQ(
      decoded(R"({"type": "ByteFallback"})", {"a", "<0xC3>", "<0xA9>", "b", "<0xFF>", "<0x4G>"}),
      (Strings{"a", "é", "b", "\uFFFD", "<0x4G>"}));
  EXPECT_EQ(decoded(R"({"type": "Metaspace", "replacement": "▁"})", {"▁a", "▁b"}),
            (Strings{"a", " b"}));
  EXPECT_EQ(
      decoded(R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never"})", {"▁a"}),
      (Strings{" a"}));
  EXPECT_EQ(decoded(R"({"type": "Fuse"})", {"a", "b"}), (Strings{"ab"}));
  EXPECT_EQ(
      decoded(R"({"type": "Replace", "pattern": {"Regex": "[ab]"}, "content": "x"})", {"abc"}),
      (Strings{"xxc"}));
  EXPECT_EQ(decoded(R"({"type": "Strip", "content": " ", "start": 1, "stop": 1})", {"  a  ", ""}),
            (Strings{" a ", ""}));
  EXPECT_EQ(decoded(R"({"type": "WordPiece", "prefix": "##", "cleanup": true})",
                    {"do", "##n", ".", "'s"}),
            (Strings{"do", "n", ".", "'s"}));
  EXPECT_EQ(decoded(R"({"type": "BPEDecoder", "suffix": "</w>"})", {"a</w>", "b</w>"}),
            (Strings{"a ", "b"}));
  EXPECT_EQ(decoded(R"({"type": "BPEDecoder", "suffix": "</w>"})", {}), Strings());
  EXPECT_EQ(
      decoded(
          R"({"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": true})",
          {"<pad>", "h", "h", "<pad>", "h", "|"}),
      (Strings{"h", "h", " "}));
}

TEST(DecodersTest, RefusesWhatItDoesNotKnow) {
  for (const char* json : {R"({"type": "Magic"})", R"({"type": "Fuse", "x": 1})",
                           R"({"type": "Strip", "content": " ", "start": -1, "stop": 0})",
                           R"({"type": "ByteLevel"})"}) {
    EXPECT_THROW(load_decoder(parse_json(json, "test"), "test"), Error) << json;
  }
}

TEST(DecodersTest, CleansUpEnglish) {
  EXPECT_EQ(clean_up_tokenization("I do n't , he 's here . really ?"),
            "I don't, he's here. really?");
  EXPECT_EQ(clean_up_tokenization("we do not"), "we do not");
}

TEST(DecodersTest, GrowthIsBounded) {
  const std::string grow =
      R"({"type": "Replace", "pattern": {"String": "a"}, "content": "aaaaaaaaaaaaaaaa"})";
  std::string members = grow;
  for (int i = 1; i < 8; ++i) members += ", " + grow;
  const std::string json = R"({"type": "Sequence", "decoders": [)" + members + "]}";
  expect_contains(error_of([&] {
                    decoded(json.c_str(), {"a", "aaa"});
                  }),
                  "the text grows beyond 16777216 bytes while it is decoded");
}

// An empty suffix stands everywhere, so that each member puts a space between any two characters.
TEST(DecodersTest, ManySmallGrowthsAreBoundedTogether) {
  std::string members = R"({"type": "BPEDecoder", "suffix": ""})";
  for (int i = 1; i < 40; ++i) members += R"(, {"type": "BPEDecoder", "suffix": ""})";
  const std::string json = R"({"type": "Sequence", "decoders": [)" + members + "]}";
  expect_contains(error_of([&] {
                    decoded(json.c_str(), {"abc", "d"});
                  }),
                  "the text grows beyond 16777216 bytes while it is decoded");
}

}  // namespace
}  // namespace palimpsest::tokenizer
