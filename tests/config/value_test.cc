#include "palimpsest/config/value.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace palimpsest::config {
namespace {

TEST(ValueTest, KnowsWhatItIs) {
  EXPECT_TRUE(Value().is_null());
  EXPECT_TRUE(Value(true).as_bool());
  EXPECT_EQ(Value(3).as_int(), 3);
  EXPECT_EQ(Value(3).as_real(), 3.0);
  EXPECT_EQ(Value(0.25).as_real(), 0.25);
  EXPECT_EQ(Value("a").as_text(), "a");
  EXPECT_EQ(Value(Value::List{1, 2}).as_list().size(), 2U);
}

TEST(ValueTest, MapsKeepTheirOrder) {
  Value map(Value::Map{});
  map.set("b", 1);
  map.set("a", 2);
  map.set("b", 3);
  EXPECT_EQ(map, Value(Value::Map{{"b", 3}, {"a", 2}}));
  EXPECT_TRUE(map.erase("b"));
  EXPECT_FALSE(map.erase("b"));
  EXPECT_EQ(map.find("b"), nullptr);
}

TEST(ValueTest, NullIsPresentButNotSet) {
  const Value map(Value::Map{{"a", Value()}});
  EXPECT_NE(map.find("a"), nullptr);
  EXPECT_EQ(map.find_set("a"), nullptr);
}

TEST(ValueTest, ErrorsNamePlaceAndKey) {
  Value map(Value::Map{{"k", "x"}, {"p", 2}});
  map.locate("eval.yaml:3", "eval.tofu");
  map.find("k")->locate("eval.yaml:4", "eval.tofu.k");
  EXPECT_EQ(
      error_of([&] { map.at("k").as_real(); }),
      "eval.yaml:4: eval.tofu.k: the value is of the wrong kind (expected a number, found a text)");
  EXPECT_EQ(error_of([&] { map.at("q"); }),
            "eval.yaml:3: eval.tofu: the key 'q' is missing (found the keys k, p)");
}

TEST(ValueTest, MissingThrowsWhenItIsRead) {
  Value value("???");
  value.locate("eval.yaml:4", "task_name");
  EXPECT_TRUE(value.is_missing());
  EXPECT_EQ(error_of([&] { value.as_text(); }),
            "eval.yaml:4: task_name: the value is ???, which means that it must be given; add "
            "task_name=… to the command line");
  EXPECT_EQ(*value.text_if(), "???");
}

TEST(ValueTest, UnreadableThrowsItsReasonWhenItIsRead) {
  Value value = Value::unreadable("${a} leads to nothing");
  value.locate("x.yaml:1", "b");
  EXPECT_TRUE(value.is_unreadable());
  EXPECT_EQ(error_of([&] { value.as_int(); }), "x.yaml:1: b: ${a} leads to nothing");
  EXPECT_EQ(error_of([&] { value.as_map(); }), "x.yaml:1: b: ${a} leads to nothing");
}

TEST(ValueTest, ChildrenByKeyAndIndex) {
  Value value(Value::Map{{"a", Value(Value::List{10, 20})}});
  EXPECT_EQ(value.child("a")->child("1")->as_int(), 20);
  for (const char* absent : {"2", "-1", "x", "", "1x", "99999999999999999999"}) {
    EXPECT_EQ(value.child("a")->child(absent), nullptr) << absent;
  }
  EXPECT_EQ(value.child("a")->child("0")->child("b"), nullptr);
  value.set_keys("");
  EXPECT_EQ(value.child("a")->child("1")->key(), "a[1]");
}

TEST(ValueTest, EndlessKeysAreCutInPaths) {
  Value value(Value::Map{{std::string(100'000, 'x'), Value(Value::List{1, 2})}});
  value.set_keys("");
  EXPECT_LE(value.as_map()[0].second.as_list()[1].key().size(), 1010U);
}

}  // namespace
}  // namespace palimpsest::config
