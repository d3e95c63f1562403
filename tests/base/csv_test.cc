#include "palimpsest/base/csv.h"

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

}  // namespace
}  // namespace palimpsest
