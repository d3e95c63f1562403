#include "palimpsest/base/internal/strings.h"

#include <gtest/gtest.h>

namespace palimpsest {
namespace {

TEST(StringsTest, PartsAreBetweenSeparators) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), std::vector<std::string_view>{""});
  EXPECT_EQ(split("a/", '/'), (std::vector<std::string_view>{"a", ""}));
}

TEST(StringsTest, ABlankLineHasSpacesAndTabsAlone) {
  EXPECT_TRUE(is_blank(""));
  EXPECT_TRUE(is_blank(" \t "));
  EXPECT_FALSE(is_blank(" x"));
}

TEST(StringsTest, OnlyAnAsciiLetterIsMadeACapital) {
  EXPECT_EQ(capitalised("the sets"), "The sets");
  EXPECT_EQ(capitalised("3 sets"), "3 sets");
  EXPECT_EQ(capitalised("über"), "über");
  EXPECT_EQ(capitalised(""), "");
}

TEST(StringsTest, ShellWordsAreQuoted) {
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
}

}  // namespace
}  // namespace palimpsest
