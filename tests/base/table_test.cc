#include "palimpsest/base/internal/table.h"

#include <gtest/gtest.h>

#include <cmath>

namespace palimpsest {
namespace {

TEST(TableTest, SetsNumbersFlushRightAndWordsFlushLeft) {
  Table table({"attack", "AUC", "interval"});
  table.add_row({"loss", "0.5", "0.1 … 0.9"});
  table.add_row({"min_k_plus_plus", "12.25", "n/a"});
  EXPECT_EQ(table.to_string(),
            "attack             AUC   interval\n"
            "---------------  -----  ---------\n"
            "loss               0.5  0.1 … 0.9\n"
            "min_k_plus_plus  12.25        n/a\n");
}

TEST(TableTest, NamesOfFilesDoNotSteerTheTerminal) {
  Table table({"metric"});
  table.add_row({"\x1B]0;x\x07"});
  EXPECT_EQ(table.to_string(), "metric\n------\n?]0;x?\n");
}

TEST(TableTest, FormatsNumbersForPeople) {
  EXPECT_EQ(format_number(0.75), "0.75");
  EXPECT_EQ(format_number(1234.5678, 6), "1234.57");
  EXPECT_EQ(format_number(std::nan("")), "n/a");
  EXPECT_EQ(format_number(INFINITY), "inf");
  EXPECT_EQ(format_interval(0.51234, 0.6349), "0.512 … 0.635");
  EXPECT_EQ(format_interval(std::nan(""), 1), "n/a");
}

TEST(FormatPValueTest, SmallOnesAreBounded) {
  EXPECT_EQ(format_p_value(0.0321), "p = 0.032");
  EXPECT_EQ(format_p_value(0.0004), "p < 0.001");
  EXPECT_EQ(format_p_value(1), "p = 1.000");
}

TEST(WithoutControlsTest, KeepsTextAndLineBreaks) {
  EXPECT_EQ(without_controls("a\x1B[31m\tb\x7F\n\xC2\x9B\xC3\xA9"), "a?[31m?b?\n?\xC3\xA9");
  EXPECT_EQ(without_controls("\xC2"), "\xC2");
}

TEST(VisibleDirectionsTest, AreEscapesAndNothingElseChanges) {
  EXPECT_EQ(with_visible_directions("a\u202Eb\u2066c\u200Fd\u061Ce\u2028\u2029"),
            "a\\u202eb\\u2066c\\u200fd\\u061ce\\u2028\\u2029");
  EXPECT_EQ(with_visible_directions("\u202A", "\\\\u"), "\\\\u202a");
  EXPECT_EQ(with_visible_directions("\xC2\x80\xC2\x9B\xC2\x9F"), "\\u0080\\u009b\\u009f");
  // Their neighbours stay: spaces, joiners, dashes, the last of an open range.
  for (const char* text : {"\u2027", "\u202F", "\u200D", "\u2065", "\u206A", "\u061B", "…", "\xE2",
                           "\xE2\x80", "\xD8", "\xC2", "\xC2\x41", "\xC2\xA0", "\xC3\x80", ""}) {
    EXPECT_EQ(with_visible_directions(text), text);
  }
  EXPECT_EQ(without_controls("\u202Egnp.exe\x07"), "\\u202egnp.exe?");
}

TEST(WrappedTest, BreaksBetweenWords) {
  EXPECT_EQ(wrapped("one two three", 7, 2), "one two\n  three\n");
  EXPECT_EQ(wrapped("a longlonglong word", 5, 1), "a\n long\n long\n long\n word\n");
  EXPECT_EQ(wrapped("ää öö", 5, 0), "ää öö\n");
  EXPECT_EQ(wrapped("", 5, 0), "");
}

}  // namespace
}  // namespace palimpsest
