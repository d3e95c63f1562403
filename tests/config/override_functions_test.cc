#include "palimpsest/config/internal/override_functions.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "tests/support/expect_error.h"

namespace palimpsest::config {
namespace {

TEST(OverrideFunctionsTest, RangesOfRealNumbersDoNotDrift) {
  const auto numbers = range_values({Value(0.0), Value(1.0), Value(0.1)});
  ASSERT_EQ(numbers.size(), 10U);
  EXPECT_EQ(numbers[3].as_real(), 0.30000000000000004);  // what Hydra's decimals give as well
  EXPECT_EQ(numbers[9].as_real(), 0.9);
}

TEST(OverrideFunctionsTest, RangesStopBeforeTheyOverflow) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(range_values({Value(most - 1), Value(most), Value(5)}).size(), 1U);
  EXPECT_TRUE(range_values({Value(3), Value(0), Value(1)}).empty());
  expect_contains(error_of([] { range_values({Value(0), Value(3), Value(0)}); }), "is 0");
}

TEST(OverrideFunctionsTest, CastsGoDeep) {
  const Value list(Value::List{"1", Value(Value::Map{{"a", 2.5}})});
  const Operand cast = call_function({.name = "int", .arguments = {list}});
  EXPECT_EQ(std::get<Value>(cast), Value(Value::List{1, Value(Value::Map{{"a", 2}})}));
}

TEST(OverrideFunctionsTest, ErrorsNameTheFunction) {
  expect_contains(error_of([] { call_function({.name = "int", .arguments = {Value("x")}}); }),
                  "int(): the value cannot be made a whole number (found 'x')");
  expect_contains(error_of([] { call_function({.name = "int", .arguments = {Value(1e300)}}); }),
                  "a whole number");
  expect_contains(error_of([] { call_function({.name = "range", .arguments = {Value("x")}}); }),
                  "range(): a range takes numbers");
}

}  // namespace
}  // namespace palimpsest::config
