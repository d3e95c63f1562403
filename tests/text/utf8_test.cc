#include "palimpsest/text/internal/utf8.h"

#include <gtest/gtest.h>

#include "palimpsest/base/error.h"

namespace palimpsest::text {
namespace {

TEST(Utf8Test, FindsTheFirstInvalidByte) {
  EXPECT_EQ(find_invalid_utf8("plain ASCII, long enough for words"), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("aé€😀"), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("abcdefgh\xFFz"), 8U);
  EXPECT_EQ(find_invalid_utf8("a\xC3"), 1U);             // cut off
  EXPECT_EQ(find_invalid_utf8("\xC0\x80"), 0U);          // overlong
  EXPECT_EQ(find_invalid_utf8("ab\xED\xA0\x80"), 2U);    // a surrogate
  EXPECT_EQ(find_invalid_utf8("\xF4\x90\x80\x80"), 0U);  // above U+10FFFF
  EXPECT_EQ(find_invalid_utf8("\xF0\x9F\x98\x80"), std::nullopt);
}

TEST(Utf8Test, ErrorGivesTheByteOffset) {
  try {
    validate_utf8("ok \xFE");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("byte 3"), std::string::npos) << error.what();
  }
}

TEST(Utf8Test, RoundTripsEveryCharacter) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    const std::string text = to_utf8(c);
    ASSERT_EQ(find_invalid_utf8(text), std::nullopt);
    ASSERT_EQ(text.size(), utf8_length(c));
    ASSERT_EQ(text.size(), utf8_length(text[0]));
    size_t position = 0;
    ASSERT_EQ(next_code_point(text, position), c);
    ASSERT_EQ(position, text.size());
    ASSERT_EQ(previous_boundary(text, position), 0U);
  }
}

TEST(Utf8Test, LossyReplacesMaximalParts) {
  EXPECT_EQ(lossy_utf8("a\xFF"
                       "b"),
            "a\uFFFDb");
  EXPECT_EQ(lossy_utf8("\xE2\x82"), "\uFFFD");  // one cut-off character
  EXPECT_EQ(lossy_utf8("\xE2\x82z"), "\uFFFDz");
  EXPECT_EQ(lossy_utf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // no part of it can be a character
  EXPECT_EQ(lossy_utf8("\xF0\x9F\x98\x80"), "😀");
}

TEST(Utf8Test, ReplacesLeftToRight) {
  EXPECT_EQ(replace_all("aaa", "aa", "b"), "ba");
  EXPECT_EQ(replace_all("é", "", "-"), "-é-");
  EXPECT_EQ(replace_all("abc", "x", "y"), "abc");
  EXPECT_EQ(count_code_points("aé😀"), 3U);
}

}  // namespace
}  // namespace palimpsest::text
