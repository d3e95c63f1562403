#include "palimpsest/report/internal/chart/text_fit.h"

#include <gtest/gtest.h>

#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::report {
namespace {

TEST(TextFitTest, NothingThatXmlForbidsIsLeft) {
  EXPECT_EQ(clean_text(std::string("a\0b\x01\x1b[c\x7f\0", 9)), "ab[c");
  EXPECT_EQ(clean_text("a\tb\nc"), "a b c");
  EXPECT_EQ(clean_text("a\xff\xc3(b"), "a\uFFFD\uFFFD(b");
  EXPECT_EQ(clean_text("\uFFFE\uFFFF\u0085é…"), "é…");
  EXPECT_EQ(clean_text("a\u202Eb"), "a\\u202eb");
}

TEST(TextFitTest, WidthsGrowWithTextAndSize) {
  EXPECT_EQ(drawn_width("", 12), 0);
  EXPECT_NEAR(drawn_width("0000", 10), 25.6, 1e-9);
  EXPECT_GT(drawn_width("WWW", 12), drawn_width("iii", 12));
  EXPECT_DOUBLE_EQ(drawn_width("漢字", 20), 2 * drawn_width("漢字", 10));
}

TEST(TextFitTest, LongNamesKeepBeginningAndEnd) {
  const std::string name = "min_k_plus_plus with a very long name:k=0.25";
  EXPECT_EQ(shortened(name, 12, 1000), name);
  for (int width = 20; width < 250; width += 7) {
    const std::string shorter = shortened(name, 12, width);
    EXPECT_LE(drawn_width(shorter, 12), width);
    EXPECT_NE(shorter.find("…"), std::string::npos);
  }
  const std::string shorter = shortened(name, 12, 120);
  EXPECT_TRUE(shorter.starts_with("min_k")) << shorter;
  EXPECT_TRUE(shorter.ends_with("=0.25")) << shorter;
  EXPECT_EQ(shortened(name, 12, 1), "…");
}

TEST(TextFitTest, CharactersAreNeverCut) {
  const std::string name = "ééé漢字漢字🙂🙂🙂ééé";
  for (int width = 10; width < 150; width += 3)
    EXPECT_FALSE(text::find_invalid_utf8(shortened(name, 12, width)).has_value()) << width;
}

TEST(TextFitTest, LinesBreakAtSpaces) {
  EXPECT_EQ(text_lines("", 12, 100), std::vector<std::string>());
  EXPECT_EQ(text_lines("one  two", 12, 1000), (std::vector<std::string>{"one two"}));
  for (const std::string& line : text_lines("ROC curves (generator=g1, logarithmic axes)", 14, 120))
    EXPECT_LE(drawn_width(line, 14), 120) << line;
}

}  // namespace
}  // namespace palimpsest::report
