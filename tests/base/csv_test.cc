#include "palimpsest/base/csv.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace palimpsest {
namespace {

TEST(CsvTest, QuotesOnlyWhereNeeded) {
  EXPECT_EQ(csv_cell("plain text"), "plain text");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_cell("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_cell(""), "");
}

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(std::string_view text) {
  CsvReader reader(text, "t.csv");
  Rows rows;
  std::vector<std::string> row;
  while (reader.next(row)) rows.push_back(row);
  return rows;
}

std::string failure_of(std::string_view text) {
  return error_of([&] { rows_of(text); });
}

TEST(CsvTest, ReadsRows) {
  EXPECT_EQ(rows_of("a,b\n1,2\n"), (Rows{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(rows_of("a,b\r\n1,2"), (Rows{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(rows_of("\xef\xbb\xbf"
                    "a\n"),
            (Rows{{"a"}}));
  EXPECT_EQ(rows_of(",\n"), (Rows{{"", ""}}));
  EXPECT_EQ(rows_of("a,"), (Rows{{"a", ""}}));
  EXPECT_EQ(rows_of("\n\na\n\r\n"), (Rows{{"a"}}));
  EXPECT_EQ(rows_of(""), Rows{});
  EXPECT_EQ(rows_of("a\rb,5\"\n"), (Rows{{"a\rb", "5\""}}));
}

TEST(CsvTest, ReadsWhatItWrites) {
  for (const std::string text : {"plain", "a,b", "say \"hi\"", "two\r\nlines\n", "\""}) {
    EXPECT_EQ(rows_of(csv_cell(text) + "," + csv_cell(text) + "\n"), (Rows{{text, text}}));
  }
}

TEST(CsvTest, SaysWhereARowBegins) {
  CsvReader reader("a\n\"x\ny\"\n\nb\n", "t.csv");
  std::vector<std::string> row;
  std::vector<std::string> places;
  while (reader.next(row)) places.push_back(reader.where());
  EXPECT_EQ(places, (std::vector<std::string>{"t.csv:1", "t.csv:2", "t.csv:5"}));
}

TEST(CsvTest, RefusesWhatIsNoCsv) {
  expect_contains(failure_of("a\n\"b\nc"), "t.csv:2: a quote is not closed");
  expect_contains(failure_of("\"a\"b\n"), "t.csv:1: a quoted cell goes on");
  expect_contains(failure_of(std::string(CsvReader::kMaxCells, ',')), "more than 1000 cells");
}

}  // namespace
}  // namespace palimpsest
