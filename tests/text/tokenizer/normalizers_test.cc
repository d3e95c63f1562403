#include "palimpsest/text/tokenizer/normalizers.h"

#include <gtest/gtest.h>

namespace palimpsest {
namespace {

std::string normalized(const char* json, std::string_view text) {
  NormalizedString result(text, true);
  load_normalizer(parse_json(json, "test"), "test")->normalize(result);
  EXPECT_EQ(result.spans().size(), result.text().size());
  return result.text();
}

TEST(NormalizersTest, EveryKindDoesItsWork) {
  EXPECT_EQ(normalized(R"({"type": "NFC"})", "e\u0301"), "é");
  EXPECT_EQ(normalized(R"({"type": "Lowercase"})", "ÀB"), "àb");
  EXPECT_EQ(normalized(R"({"type": "Strip", "strip_left": true, "strip_right": false})", " a "),
            "a ");
  EXPECT_EQ(normalized(R"({"type": "Strip", "strip_left": true, "strip_right": true})", " \n "),
            "");
  EXPECT_EQ(normalized(R"({"type": "StripAccents"})", "e\u0301é"), "eé");
  EXPECT_EQ(normalized(R"({"type": "Replace", "pattern": {"String": " "}, "content": "▁"})", "a b"),
            "a▁b");
  EXPECT_EQ(
      normalized(R"({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "})", "a   b"),
      "a b");
  EXPECT_EQ(normalized(R"({"type": "Prepend", "prepend": "▁"})", "a"), "▁a");
  EXPECT_EQ(normalized(R"({"type": "Prepend", "prepend": "▁"})", ""), "");
  EXPECT_EQ(normalized(R"({"type": "Nmt"})", "a\x01\tb\u200B"), "a b ");
  EXPECT_EQ(normalized(R"({"type": "ByteLevel"})", "é "), "Ã©Ġ");
  EXPECT_EQ(
      normalized(R"({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                           "strip_accents": null, "lowercase": true})",
                 "É中\tX"),
      "e 中  x");
  EXPECT_EQ(
      normalized(
          R"({"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}]})",
          "é"),
      "e");
}

TEST(NormalizersTest, RefusesWhatItDoesNotKnow) {
  for (const char* json :
       {R"({"type": "Magic"})", R"({"kind": "NFC"})", R"({"type": "NFC", "strength": 2})",
        R"({"type": "Strip", "strip_left": 1, "strip_right": true})",
        R"({"type": "Replace", "pattern": {"Regex": "x*"}, "content": ""})",
        R"({"type": "Replace", "pattern": {"Glob": "x"}, "content": ""})",
        R"({"type": "Precompiled", "precompiled_charsmap": "AAAA"})", "[]", "null"}) {
    EXPECT_THROW(load_normalizer(parse_json(json, "test"), "test"), Error) << json;
  }
}

TEST(NormalizersTest, TheErrorNamesTheComponent) {
  try {
    load_normalizer(parse_json(R"({"type": "NFC", "strength": 2})", ""),
                    "tokenizer.json: normalizer");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "tokenizer.json: normalizer (NFC): 'strength' is a field that is not supported");
  }
}

}  // namespace
}  // namespace palimpsest
