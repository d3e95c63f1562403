#include "palimpsest/base/internal/json_events.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace palimpsest {
namespace {

// Writes the events down; members that are called "skip" are skipped.
class EventRecorder final : public JsonEvents {
 public:
  std::string log;

 private:
  void opened(Kind kind) override { log += kind == Kind::kObject ? "{ " : "[ "; }
  void closed() override { log += "} "; }
  void named(std::string name) override {
    log += name + ": ";
    if (name == "skip") skip_value();
  }
  void text(std::string value) override { log += "'" + value + "' "; }
  void whole_number(int64_t value) override { log += std::to_string(value) + " "; }
  void other(std::string_view what) override { log += "<" + std::string(what) + "> "; }
};

std::string events_of(std::string_view text) {
  EventRecorder recorder;
  recorder.read(text, "test");
  return recorder.log;
}

TEST(JsonEventsTest, GivesEveryKindOfValue) {
  EXPECT_EQ(events_of(R"({"a": [1, -2, "x"], "b": {"c": null, "d": true}})"),
            "{ a: [ 1 -2 'x' } b: { c: <null> d: <true> } } ");
  EXPECT_EQ(events_of("[1.5, false]"), "[ <1.5> <false> } ");
}

TEST(JsonEventsTest, ANumberBeyondTheRangeIsNoWholeNumber) {
  EXPECT_EQ(events_of("9223372036854775807"), "9223372036854775807 ");
  EXPECT_EQ(events_of("9223372036854775808"), "<9223372036854775808> ");
  EXPECT_EQ(events_of("18446744073709551616"), "<1.8446744073709552e+19> ");
}

TEST(JsonEventsTest, BothOfTwoMembersWithOneNameAreSeen) {
  EXPECT_EQ(events_of(R"({"a": 1, "a": 2})"), "{ a: 1 a: 2 } ");
}

TEST(JsonEventsTest, SkipsValuesOfEveryKind) {
  EXPECT_EQ(events_of(R"({"skip": 1, "a": 2})"), "{ skip: a: 2 } ");
  EXPECT_EQ(events_of(R"({"skip": {"x": [1, {"skip": "y"}], "z": null}, "a": 2})"),
            "{ skip: a: 2 } ");
  EXPECT_EQ(events_of(R"({"skip": [], "a": [3]})"), "{ skip: a: [ 3 } } ");
}

TEST(JsonEventsTest, DeepNestingIsHarmless) {
  const std::string deep = R"({"skip": )" + std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(events_of(deep + R"(, "a": 1})"), "{ skip: a: 1 } ");
}

TEST(JsonEventsTest, SaysWhereTheTextIsNotJson) {
  expect_contains(error_of([] { events_of(R"({"a": 1,)"); }),
                  "test: this is not valid JSON (byte 9); the file is damaged");
  expect_contains(error_of([] { events_of(""); }), "this is not valid JSON");
  expect_contains(error_of([] { events_of("{} x"); }), "this is not valid JSON");
  expect_contains(error_of([] { events_of({"{}\0x", 4}); }), "this is not valid JSON: byte 3 is 0");
}

TEST(JsonEventsTest, PresentableNamesAreShortAndWithoutControlCharacters) {
  EXPECT_TRUE(is_printable_name("model.layers.0.größe"));
  EXPECT_FALSE(is_printable_name("a\x1b[2J"));
  EXPECT_FALSE(is_printable_name(std::string("a\0b", 3)));
  EXPECT_FALSE(is_printable_name(std::string(2000, 'a')));
}

}  // namespace
}  // namespace palimpsest
