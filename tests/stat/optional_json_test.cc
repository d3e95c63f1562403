#include "palimpsest/stat/internal/optional_json.h"

#include <gtest/gtest.h>

#include <limits>

namespace palimpsest::stat {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

TEST(OptionalJsonTest, AnAbsentNumberIsNull) {
  EXPECT_EQ(optional_to_json(std::nullopt), Json(nullptr));
  EXPECT_EQ(optional_to_json(0), Json(0.0));
  EXPECT_EQ(optional_to_json(-kInfinite), Json("-Infinity"));
}

TEST(OptionalJsonTest, AnIntervalIsTwoNumbers) {
  EXPECT_EQ(interval_to_json(std::nullopt), Json(nullptr));
  EXPECT_EQ(interval_to_json(Interval{0.25, 0.5}), Json::array({0.25, 0.5}));
  for (const Interval& interval : {Interval{0.25, 0.5}, Interval{-kInfinite, kInfinite}})
    EXPECT_EQ(interval_from_json(interval_to_json(interval)), interval);
}

TEST(OptionalJsonTest, WhatIsNotTwoNumbersIsNoInterval) {
  for (const char* text : {"null", "0.5", "[]", "[0.5]", "[0, 0.5, 1]", "[null, 0.5]",
                           "[0.5, \"high\"]", R"({"low": 0, "high": 1})"}) {
    EXPECT_EQ(interval_from_json(parse_json(text, "test")), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace palimpsest::stat
