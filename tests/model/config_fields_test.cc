#include "palimpsest/model/internal/config_fields.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace palimpsest::model {
namespace {

// The fields of a text; the Json lives as long as the test.
class ConfigFieldsTest : public testing::Test {
 protected:
  ConfigFields fields(const std::string& text) {
    json_ = parse_json(text, "c.json");
    return ConfigFields(json_, "c.json");
  }
  Json json_;
};

TEST_F(ConfigFieldsTest, TellsAbsentFromNull) {
  const ConfigFields f = fields(R"({"a": null, "b": 1})");
  EXPECT_TRUE(f.has("a"));
  EXPECT_FALSE(f.has("c"));
  EXPECT_EQ(f.find("a"), nullptr);
  EXPECT_NE(f.find("b"), nullptr);
}

TEST_F(ConfigFieldsTest, SizesAreWholeAndPositive) {
  const ConfigFields f = fields(R"({"a": 3, "b": 3.0, "c": 18446744073709551615, "n": null})");
  EXPECT_EQ(f.size("a"), 3);
  EXPECT_EQ(f.size_or("n", 5), 5);
  EXPECT_EQ(error_of([&] { f.size("a", 2); }),
            "c.json: a is out of range (expected a whole number from 1 to 2, found 3)");
  expect_contains(error_of([&] { f.size("b"); }), "found 3.0");
  expect_contains(error_of([&] { f.size("c"); }), "c is out of range");
  EXPECT_EQ(error_of([&] { f.size("n"); }), "c.json: n is missing");
}

TEST_F(ConfigFieldsTest, IntegersMayBeNegative) {
  const ConfigFields f = fields(R"({"a": -3, "b": 1.5, "c": 18446744073709551615})");
  EXPECT_EQ(f.integer("a"), -3);
  EXPECT_EQ(f.integer("x"), std::nullopt);
  expect_contains(error_of([&] { f.integer("b"); }), "b is not a whole number but 1.5");
  expect_contains(error_of([&] { f.integer("c"); }), "c is not a whole number");
}

TEST_F(ConfigFieldsTest, NumbersAreFiniteAndPositive) {
  const ConfigFields f =
      fields(R"({"a": 2, "b": 0, "c": NaN, "d": Infinity, "e": "2", "f": 1e-40})");
  EXPECT_EQ(f.positive("a"), 2);
  EXPECT_EQ(f.positive_or("x", 7), 7);
  for (const char* key : {"b", "c", "d", "e", "f"}) {
    expect_contains(error_of([&] { f.positive(key); }), std::string(key) + " is out of range");
  }
  expect_contains(error_of([&] { f.positive("a", 1.5); }), "at most 1.5");
}

TEST_F(ConfigFieldsTest, NullIsAFalseFlag) {
  const ConfigFields f = fields(R"({"a": true, "n": null, "x": 1})");
  EXPECT_TRUE(f.flag_or("a", false));
  EXPECT_FALSE(f.flag_or("n", true));
  EXPECT_TRUE(f.flag_or("absent", true));
  expect_contains(error_of([&] { f.flag_or("x", true); }), "x is not true or false but 1");
}

TEST_F(ConfigFieldsTest, ListsHaveOneLength) {
  const ConfigFields f = fields(R"({"a": [1, 2.5], "b": 3, "c": [1, "x"]})");
  EXPECT_EQ(f.positives("a", 2), std::vector<double>({1, 2.5}));
  expect_contains(error_of([&] { f.positives("a", 3); }), "a is not an array of 3 numbers");
  expect_contains(error_of([&] { f.positives("b", 1); }), "b is not an array");
  expect_contains(error_of([&] { f.positives("c", 2); }), "c holds \"x\"");
  expect_contains(error_of([&] { f.positives("d", 2); }), "d is missing");
}

TEST_F(ConfigFieldsTest, MessagesQuoteOnlyTheBeginningOfAValue) {
  const std::string message =
      error_of([&] { fields(R"({"a": ")" + std::string(100'000, 'x') + "\"}").size("a"); });
  EXPECT_LT(message.size(), 200u);
  expect_contains(error_of([&] { fields("3"); }), "c.json: this is not a JSON object");
  expect_contains(error_of([&] { fields(R"({"a": 3})").text("a"); }), "a is not a string but 3");
}

}  // namespace
}  // namespace palimpsest::model
