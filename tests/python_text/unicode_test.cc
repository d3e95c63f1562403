#include "palimpsest/python_text/internal/unicode.h"

#include <gtest/gtest.h>

#include <string>

#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::python_text {
namespace {

TEST(PythonUnicodeTest, CountsAndFindsCodePoints) {
  EXPECT_EQ(text::count_code_points("aé日😀"), 4U);
  EXPECT_EQ(byte_offset("aé日😀", 0), 0u);
  EXPECT_EQ(byte_offset("aé日😀", 2), 3u);
  EXPECT_EQ(byte_offset("aé日😀", 4), 10u);
  EXPECT_EQ(text::to_utf8(text::to_code_points("aé日😀")), "aé日😀");
}

TEST(PythonUnicodeTest, MapsCaseAsPythonDoes) {
  EXPECT_EQ(to_upper("straße ŉ ᾳ ᾀ ﬃ"), "STRASSE ʼN ΑΙ ἈΙ FFI");
  EXPECT_EQ(to_lower("ΑΣ ΣΑ Α.Σ İ"), "ας σα α.ς i̇");
  EXPECT_EQ(to_title("hello wORLD they're ǆ ßa"), "Hello World They'Re ǅ Ssa");
  EXPECT_EQ(capitalize("éCOLE ǅ"), "École ǆ");
  EXPECT_EQ(swap_case("aBß"), "AbSS");
}

TEST(PythonUnicodeTest, ClassifiesCharacters) {
  EXPECT_TRUE(is_space(U'\u3000') && is_space(U'\x1c') && !is_space(U'\u200b'));
  EXPECT_TRUE(is_digit(U'²') && !is_decimal(U'²') && is_numeric(U'½') && is_numeric(U'五'));
  EXPECT_TRUE(is_lower(U'ª') && is_upper(U'Ⅳ') && is_title(U'ǅ'));
  EXPECT_TRUE(is_printable(U'日') && !is_printable(U'\u200b') && !is_printable(U'\u00a0'));
  EXPECT_TRUE(is_identifier("été_1") && !is_identifier("1a") && !is_identifier("a²"));
  EXPECT_TRUE(text_is_lower("abc1") && !text_is_lower("1") && text_is_upper("ABC"));
}

}  // namespace
}  // namespace palimpsest::python_text
