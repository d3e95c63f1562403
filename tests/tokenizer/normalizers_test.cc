#include "palimpsest/tokenizer/internal/normalizers.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace palimpsest::tokenizer {
namespace {

std::string normalized(const char* json, std::string_view text) {
  NormalizedString result(text, true);
  load_normalizer(parse_json(json, "test"), "test")(result);
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

// Eight normalizers that make sixteen characters of each had grown a text to gigabytes.
TEST(NormalizersTest, GrowthIsBounded) {
  const std::string grow =
      R"({"type": "Replace", "pattern": {"String": "a"}, "content": "aaaaaaaaaaaaaaaa"})";
  std::string members = grow;
  for (int i = 1; i < 8; ++i) members += ", " + grow;
  const std::string json = R"({"type": "Sequence", "normalizers": [)" + members + "]}";
  expect_contains(error_of([&] { normalized(json.c_str(), "aaaa"); }),
                  "the text grows beyond 16777344 bytes while it is normalized");
  // What a normalizer of a model may do to a long text is not bounded by that.
  const std::string spaces(6 << 20, ' ');
  EXPECT_EQ(normalized(R"({"type": "Replace", "pattern": {"String": " "}, "content": "▁"})", spaces)
                .size(),
            3 * spaces.size());
  const std::string prefix(20 << 20, 'x');
  expect_contains(error_of([&] {
                    normalized(to_line({{"type", "Prepend"}, {"prepend", prefix}}).c_str(), "a");
                  }),
                  "the text grows beyond");
}

TEST(NormalizersTest, ASequenceHasFewMembers) {
  std::string members = R"({"type": "NFC"})";
  for (int i = 0; i < 1000; ++i) members += R"(, {"type": "NFC"})";
  expect_contains(
      error_of([&] {
        load_normalizer(
            parse_json(R"({"type": "Sequence", "normalizers": [)" + members + "]}", "t"), "test");
      }),
      "has 1001 members; at most 1000 are taken");
}

}  // namespace
}  // namespace palimpsest::tokenizer
