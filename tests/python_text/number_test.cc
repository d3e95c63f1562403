#include "palimpsest/python_text/internal/number.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/error.h"

namespace palimpsest::python_text {
namespace {

TEST(PythonNumberTest, ReadsIntegersAsPythonDoes) {
  EXPECT_EQ(parse_integer(" -12 ", 10), -12);
  EXPECT_EQ(parse_integer("1_000", 10), 1000);
  EXPECT_EQ(parse_integer("0xff", 16), 255);
  EXPECT_EQ(parse_integer("0b101", 0), 5);
  EXPECT_EQ(parse_integer("-9223372036854775808", 10), INT64_MIN);
  for (const char* text : {"", "-", "1__0", "_1", "1_", "0x", "12a", "010 1"}) {
    EXPECT_EQ(parse_integer(text, 10), std::nullopt) << text;
  }
  EXPECT_EQ(parse_integer("010", 0), std::nullopt);
  EXPECT_THROW(parse_integer("9223372036854775808", 10), Error);
}

TEST(PythonNumberTest, ReadsRealsAsPythonDoes) {
  EXPECT_EQ(parse_real(" 1.5e3 "), 1500);
  EXPECT_EQ(parse_real("-.5"), -0.5);
  EXPECT_EQ(parse_real("5."), 5);
  EXPECT_EQ(parse_real("+"), std::nullopt);
  EXPECT_EQ(parse_real("-Infinity"), -HUGE_VAL);
  EXPECT_EQ(parse_real("1e999"), HUGE_VAL);
  EXPECT_EQ(parse_real("1e-999"), 0);
  EXPECT_TRUE(std::isnan(*parse_real("NaN")));
  for (const char* text : {"", "e5", ".", "1e", "0x1p3", "--1", "1 2"}) {
    EXPECT_EQ(parse_real(text), std::nullopt) << text;
  }
}

TEST(PythonNumberTest, RoundsTiesToEvenOnTheExactValue) {
  EXPECT_EQ(round_real(2.5, 0), 2);
  EXPECT_EQ(round_real(2.675, 2), 2.67);
  EXPECT_EQ(round_real(-1250, -2), -1200);
  EXPECT_EQ(round_real(1250.0001, -2), 1300);
  EXPECT_EQ(round_real(9999.5, -4), 10000);
  EXPECT_EQ(round_real(1e300, -310), 0);
  EXPECT_EQ(round_real(0.1, 400), 0.1);
  EXPECT_EQ(round_integer(1250, -2), 1200);
  EXPECT_EQ(round_integer(-1350, -2), -1400);
  EXPECT_EQ(round_integer(INT64_MAX, -18), 9'000'000'000'000'000'000);
  EXPECT_EQ(round_integer(4'000'000'000'000'000'000, -19), 0);
  EXPECT_EQ(round_integer(INT64_MIN, -30), 0);
  EXPECT_THROW(round_integer(INT64_MAX, -1), Error);
  EXPECT_THROW(round_integer(INT64_MAX, -19), Error);
}

}  // namespace
}  // namespace palimpsest::python_text
