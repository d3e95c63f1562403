#include "palimpsest/python_text/internal/text.h"

#include <gtest/gtest.h>

#include "palimpsest/base/error.h"

namespace palimpsest::python_text {
namespace {

using Parts = std::vector<std::string>;

TEST(PythonTextTest, StripsWhiteSpaceOrTheGivenCharacters) {
  EXPECT_EQ(strip(" \t\u2003a b\u00a0\n", Side::kBoth), "a b");
  EXPECT_EQ(strip(" a ", Side::kLeft), "a ");
  EXPECT_EQ(strip(" a ", Side::kRight), " a");
  EXPECT_EQ(strip("\u200ba", Side::kBoth), "\u200ba");  // no white space to Python
  EXPECT_EQ(strip("xéayé", Side::kBoth, "éx"), "ay");
  EXPECT_EQ(strip("aaa", Side::kBoth, "a"), "");
  EXPECT_EQ(strip(" a ", Side::kBoth, ""), " a ");
}

TEST(PythonTextTest, SplitsAtWhiteSpaceAndLeavesOutNothings) {
  EXPECT_EQ(split("  a  b\u2003c ", std::nullopt, -1), (Parts{"a", "b", "c"}));
  EXPECT_EQ(split(" a b  c ", std::nullopt, 1), (Parts{"a", "b  c "}));
  EXPECT_EQ(split_right(" a  b c ", std::nullopt, 1), (Parts{" a  b", "c"}));
  EXPECT_EQ(split("  ", std::nullopt, -1), Parts{});
}

TEST(PythonTextTest, SplitsAtASeparatorAndKeepsNothings) {
  EXPECT_EQ(split(",a,,b", ",", -1), (Parts{"", "a", "", "b"}));
  EXPECT_EQ(split("a,b,c", ",", 1), (Parts{"a", "b,c"}));
  EXPECT_EQ(split_right("a,b,c", ",", 1), (Parts{"a,b", "c"}));
  EXPECT_EQ(split("", ",", -1), Parts{""});
  EXPECT_THROW(split("a", "", -1), Error);
}

TEST(PythonTextTest, SplitsLinesAtEveryLineBreakOfUnicode) {
  EXPECT_EQ(split_lines("a\r\nb\rc\u2028d\n", false), (Parts{"a", "b", "c", "d"}));
  EXPECT_EQ(split_lines("a\r\n\nb", true), (Parts{"a\r\n", "\n", "b"}));
  EXPECT_EQ(split_lines("", true), Parts{});
}

}  // namespace
}  // namespace palimpsest::python_text
