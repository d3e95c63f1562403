#include "palimpsest/base/internal/json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/expect_error.h"

namespace palimpsest {
namespace {

TEST(JsonTest, AcceptsPythonsNumbers) {
  const Json value =
      parse_json(R"({"a": NaN, "b": [Infinity, -Infinity], "c": "NaN", "d": "\"NaN"})", "x");
  EXPECT_TRUE(std::isnan(value["a"].get<double>()));
  EXPECT_EQ(value["b"][0].get<double>(), INFINITY);
  EXPECT_EQ(value["b"][1].get<double>(), -INFINITY);
  EXPECT_EQ(value["c"], "NaN");
  EXPECT_EQ(value["d"], "\"NaN");
}

TEST(JsonTest, SaysWhereItIsWrong) {
  const std::string message = error_of([] { parse_json("{\"a\": }", "f.json:3"); });
  expect_contains(message, "f.json:3: this is not valid JSON");
  expect_contains(message, "column 7");
  error_of([] { parse_json("NaNsense", "x"); });
  error_of([] { parse_json("", "x"); });
  error_of([] { parse_json("\"\xFF\"", "x"); });
}

TEST(JsonTest, SurvivesDeepNesting) {
  const std::string deep(100'000, '[');
  error_of([&] { parse_json(deep, "x"); });
  const auto nested = [](size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_EQ(error_of([&] { parse_json(nested(100'000), "x"); }),
            "x: the JSON is nested more than 256 deep");
  EXPECT_EQ(to_line(parse_json(nested(256), "x")), nested(256));
  expect_contains(error_of([&] { array_from_json(parse_json(nested(100), "x"), "x"); }),
                  "nested more than 32 deep");
  // Brackets of texts do not nest.
  const std::string text = '"' + std::string(300, '[') + R"(\"{\\")";
  EXPECT_EQ(parse_json(text, "x"), std::string(300, '[') + R"("{\)");
}

TEST(JsonTest, ShowsValuesShortly) {
  EXPECT_EQ(shown(Json({{"a", "\x1b\xff"}})), R"({"a":"\u001b\ufffd"})");
  const std::string cut = shown(Json(std::string(1000, 'x')));
  EXPECT_EQ(cut, '"' + std::string(59, 'x') + "…");
}

TEST(JsonTest, WholeNumbersAreNotCast) {
  EXPECT_EQ(whole_number<int64_t>(Json(-3)), -3);
  EXPECT_EQ(whole_number<uint64_t>(parse_json("18446744073709551615", "")), UINT64_MAX);
  for (const char* text : {"3e97", "1.5", "2.0", "null", "\"3\"", "true", "9223372036854775808"}) {
    expect_contains(error_of([&] { whole_number<int64_t>(parse_json(text, "")); }),
                    "not a whole number");
  }
  expect_contains(error_of([] { whole_number<uint64_t>(Json(-1)); }), "found -1");
}

TEST(JsonTest, RequireListsTheKeysThatAreThere) {
  const Json object = parse_json(R"({"x": 1, "z": 2})", "f");
  EXPECT_EQ(require(object, "x", "f"), 1);
  EXPECT_EQ(error_of([&] { require(object, "y", "f"); }),
            "f: the key 'y' is missing (found the keys x, z)");
  expect_contains(error_of([&] { require(Json(3), "y", "f"); }),
                  "not a JSON object (found a number)");
}

TEST(JsonTest, ArraysRoundTrip) {
  for (const char* text :
       {"1.5", "[1.0, 2.0]", "[[1.0], [null]]", "[\"Infinity\", \"-Infinity\"]", "[]"}) {
    const Array array = array_from_json(parse_json(text, "x"), "x");
    EXPECT_EQ(to_text(array_to_json(array)), std::string(text) + "\n");
  }
  EXPECT_EQ(array_from_json(parse_json("[true, false]", "x"), "x"), Array::vector({1, 0}));
}

TEST(JsonTest, RefusesRaggedArraysAndText) {
  expect_contains(error_of([] { array_from_json(parse_json("[[1], 2]", "x"), "x"); }),
                  "one length");
  expect_contains(error_of([] { array_from_json(parse_json("[1, [2]]", "x"), "x"); }),
                  "not a number");
  expect_contains(error_of([] { array_from_json(parse_json("[1, \"a\"]", "x"), "x"); }),
                  "a string");
}

TEST(JsonTest, WritesSmallObjectsOnOneLine) {
  EXPECT_EQ(to_text(parse_json(R"({"a": {"b": 1, "c": [1, 2]}, "d": {"e": null}})", "x")),
            "{\n  \"a\": {\n    \"b\": 1,\n    \"c\": [1, 2]\n  },\n  \"d\": {\"e\": null}\n}\n");
}

TEST(JsonTest, OneLine) {
  EXPECT_EQ(to_line(parse_json(R"({"a": [1, null], "b": "x\ny"})", "x")),
            R"({"a":[1,null],"b":"x\ny"})");
  EXPECT_EQ(to_line(Json("a\xff")), "\"a\xef\xbf\xbd\"");
}

// Of members of one name the first place gets the last value, in small objects and in large ones.
TEST(JsonTest, DoubledKeysInObjectsOfAnySize) {
  EXPECT_EQ(to_line(parse_json(R"({"a": 1, "b": {"c": 2}, "a": [3]})", "x")),
            R"({"a":[3],"b":{"c":2}})");
  std::string text = "{";
  for (int i = 0; i < 100; ++i) text += "\"" + std::to_string(i) + "\": {\"x\": 1}, ";
  const Json value = parse_json(text + R"("5": "five", "99": {"y": 2}, "new": 3})", "x");
  ASSERT_EQ(value.size(), 101U);
  EXPECT_EQ(value["5"], "five");
  EXPECT_EQ(value["99"], Json({{"y", 2}}));
  EXPECT_EQ(value["98"], Json({{"x", 1}}));
  EXPECT_EQ(value.items().begin().key(), "0");
  EXPECT_EQ(std::prev(value.end()).key(), "new");
}

TEST(JsonTest, DoubledKeysMayBeRefused) {
  const auto refusal = [](const std::string& text) {
    return error_of([&] { parse_json(text, "x", RepeatedKeys::kRefused); });
  };
  EXPECT_EQ(refusal(R"({"a": 1, "b": {"c": 2, "c": NaN}})"),
            "x: the key \"c\" occurs twice in one object; remove one of the two");
  std::string text = "{";
  for (int i = 0; i < 100; ++i) text += "\"" + std::to_string(i) + "\": {\"x\": 1}, ";
  expect_contains(refusal(text + R"("99": 1})"), "the key \"99\" occurs twice");
  EXPECT_NO_THROW(parse_json(text + R"("x": {"x": 1}})", "x", RepeatedKeys::kRefused));
}

TEST(JsonTest, NothingIsHiddenBehindANul) {
  using namespace std::string_literals;
  for (const std::string& text : {"{}\0"s, "{}\0{"s, "[1, \0 2]"s, "\"a\0b\""s}) {
    expect_contains(error_of([&] { parse_json(text, "x"); }), "x: this is not valid JSON: byte ");
  }
  EXPECT_EQ(parse_json(R"("a\u0000b")", "x"), Json("a\0b"s));
}

TEST(JsonTest, ReasonsOfTheLibraryAreShort) {
  try {
    Json::object().at("a");
  } catch (const Json::exception& failure) {
    EXPECT_EQ(reason_of(failure), "key 'a' not found");
  }
}

}  // namespace
}  // namespace palimpsest
