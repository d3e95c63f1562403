#include "palimpsest/base/internal/csv.h"

#include <gtest/gtest.h>

namespace palimpsest {
namespace {

TEST(CsvTest, QuotesOnlyWhereNeeded) {
  EXPECT_EQ(csv_cell("plain text"), "plain text");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_cell("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_cell(""), "");
}

TEST(CsvTest, WhatASpreadsheetWouldComputeBecomesText) {
  EXPECT_EQ(csv_safe_cell("=HYPERLINK(1)"), "'=HYPERLINK(1)");
  EXPECT_EQ(csv_safe_cell("@x"), "'@x");
  EXPECT_EQ(csv_safe_cell("\tx"), "'\tx");
  EXPECT_EQ(csv_safe_cell("-x"), "'-x");
  EXPECT_EQ(csv_safe_cell("+1+2"), "'+1+2");
  EXPECT_EQ(csv_safe_cell("=\"a\",b"), "\"'=\"\"a\"\",b\"");
  for (const char* number : {"-1", "+1.5", "-1e-7", "-inf", "3", ""}) {
    EXPECT_EQ(csv_safe_cell(number), number);
  }
  EXPECT_EQ(csv_safe_cell("-"), "'-");
  EXPECT_EQ(csv_safe_cell("+"), "'+");
  EXPECT_EQ(csv_safe_cell("a=b"), "a=b");
}

}  // namespace
}  // namespace palimpsest
