#include "palimpsest/config/internal/yaml_text.h"

#include <gtest/gtest.h>

#include <string>

namespace palimpsest::config {
namespace {

std::string written(const std::string& text) {
  YamlText out;
  out.raw("k:");
  out.write_text(text, 2);
  return out.take();
}

TEST(YamlTextTest, QuotesOnlyWhereNeeded) {
  EXPECT_EQ(written("a b"), "k: a b");
  EXPECT_EQ(written("a: b"), "k: 'a: b'");
  EXPECT_EQ(written("it's: x"), "k: 'it''s: x'");
  EXPECT_EQ(written("a\tb"), "k: \"a\\tb\"");
  EXPECT_EQ(written("yes"), "k: 'yes'");
}

TEST(YamlTextTest, FoldsAtTheFirstSpaceBehindColumn80) {
  const std::string word(40, 'x');
  EXPECT_EQ(written(word + " " + word + " " + word), "k: " + word + " " + word + "\n  " + word);
}

TEST(YamlTextTest, KeysThatAreNotSimple) {
  YamlText out;
  EXPECT_TRUE(out.write_key("plain", 0));
  out.end_line();
  EXPECT_FALSE(out.write_key("two\nlines", 0));
  EXPECT_EQ(out.take(), "plain:\n? 'two\n\n  lines'\n:");
}

}  // namespace
}  // namespace palimpsest::config
