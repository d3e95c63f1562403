#include "palimpsest/text/tokenizer/decoders.h"

#include <gtest/gtest.h>

namespace palimpsest {
namespace {

using Strings = std::vector<std::string>;

Strings decoded(const char* json, Strings tokens) {
  load_decoder(parse_json(json, "test"), "test")->decode(tokens);
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

}  // namespace
}  // namespace palimpsest
