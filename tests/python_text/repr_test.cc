#include "palimpsest/python_text/internal/repr.h"

#include <gtest/gtest.h>

#include <limits>

namespace palimpsest::python_text {
namespace {

TEST(PythonReprTest, WritesRealsAsPythonDoes) {
  EXPECT_EQ(real_to_text(1), "1.0");
  EXPECT_EQ(real_to_text(0.1), "0.1");
  EXPECT_EQ(real_to_text(1e16), "1e+16");
  EXPECT_EQ(real_to_text(1e15), "1000000000000000.0");
  EXPECT_EQ(real_to_text(0.0001), "0.0001");
  EXPECT_EQ(real_to_text(0.00001), "1e-05");
  EXPECT_EQ(real_to_text(-1.5e300), "-1.5e+300");
  EXPECT_EQ(real_to_text(-0.0), "-0.0");
  EXPECT_EQ(real_to_text(5e-324), "5e-324");
  EXPECT_EQ(real_to_text(std::numeric_limits<double>::infinity()), "inf");
}

TEST(PythonReprTest, QuotesTextsAsPythonDoes) {
  EXPECT_EQ(quote("a"), "'a'");
  EXPECT_EQ(quote("it's"), "\"it's\"");
  EXPECT_EQ(quote("'\""), "'\\'\"'");
  EXPECT_EQ(quote("a\n\t\\\x01é\xe2\x80\x8b"), "'a\\n\\t\\\\\\x01é\\u200b'");
}

}  // namespace
}  // namespace palimpsest::python_text
