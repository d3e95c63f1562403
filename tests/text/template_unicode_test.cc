#include "palimpsest/text/template_unicode.h"

#include <gtest/gtest.h>

#include <string>

namespace palimpsest::jinja {
namespace {

TEST(TemplateUnicodeTest, FindsInvalidBytes) {
  EXPECT_EQ(first_invalid_utf8("aé日😀"), std::string::npos);
  EXPECT_EQ(first_invalid_utf8("ab\xff"), 2u);
  EXPECT_EQ(first_invalid_utf8("\xed\xa0\x80"), 0u);  // a surrogate
  EXPECT_EQ(first_invalid_utf8("a\xc0\x80"), 1u);     // too long a spelling
  EXPECT_EQ(first_invalid_utf8("é\xe2\x82"), 2u);     // cut short
}

TEST(TemplateUnicodeTest, CountsAndFindsCodePoints) {
  EXPECT_EQ(count_code_points("aé日😀"), 4);
  EXPECT_EQ(byte_offset("aé日😀", 0), 0u);
  EXPECT_EQ(byte_offset("aé日😀", 2), 3u);
  EXPECT_EQ(byte_offset("aé日😀", 4), 10u);
  EXPECT_EQ(encode_utf8(decode_utf8("aé日😀")), "aé日😀");
}

TEST(TemplateUnicodeTest, MapsCaseAsPythonDoes) {
  EXPECT_EQ(to_upper("straße ŉ ᾳ ᾀ ﬃ"), "STRASSE ʼN ΑΙ ἈΙ FFI");
  EXPECT_EQ(to_lower("ΑΣ ΣΑ Α.Σ İ"), "ας σα α.ς i̇");
  EXPECT_EQ(to_title("hello wORLD they're ǆ ßa"), "Hello World They'Re ǅ Ssa");
  EXPECT_EQ(capitalize("éCOLE ǅ"), "École ǆ");
  EXPECT_EQ(swap_case("aBß"), "AbSS");
}

TEST(TemplateUnicodeTest, ClassifiesCharacters) {
  EXPECT_TRUE(is_space(U'\u3000') && is_space(U'\x1c') && !is_space(U'\u200b'));
  EXPECT_TRUE(is_digit(U'²') && !is_decimal(U'²') && is_numeric(U'½') && is_numeric(U'五'));
  EXPECT_TRUE(is_lower(U'ª') && is_upper(U'Ⅳ') && is_title(U'ǅ'));
  EXPECT_TRUE(is_printable(U'日') && !is_printable(U'\u200b') && !is_printable(U'\u00a0'));
  EXPECT_TRUE(is_identifier("été_1") && !is_identifier("1a") && !is_identifier("a²"));
  EXPECT_TRUE(text_is_lower("abc1") && !text_is_lower("1") && text_is_upper("ABC"));
}

}  // namespace
}  // namespace palimpsest::jinja
