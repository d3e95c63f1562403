#include "palimpsest/eval/parameter.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

const Parameter kArgs = Parameter::Map{{"k", 0.4},
                                       {"size", 20},
                                       {"path", "data.json"},
                                       {"flag", true},
                                       {"none", Parameter()},
                                       {"words", Parameter::List{"a", "b"}},
                                       {"hf_args", Parameter::Map{{"name", "forget"}}}};

TEST(ParameterTest, GivesWhatWasPutIn) {
  EXPECT_EQ(kArgs.at("k").as_real(), 0.4);
  EXPECT_EQ(kArgs.at("size").as_int(), 20);
  EXPECT_EQ(kArgs.at("size").as_real(), 20);
  EXPECT_EQ(kArgs.at("path").as_text(), "data.json");
  EXPECT_TRUE(kArgs.at("flag").as_bool());
  EXPECT_EQ(kArgs.at("words").as_list().size(), 2U);
  EXPECT_EQ(kArgs.at("hf_args").at("name").as_text(), "forget");
  EXPECT_EQ(kArgs.find("absent"), nullptr);
  EXPECT_NE(kArgs.find("none"), nullptr);
  EXPECT_EQ(kArgs.find_set("none"), nullptr);
}

TEST(ParameterTest, SaysWhatIsWrongAndWhere) {
  Parameter args = kArgs;
  args.locate("test.yaml:3: metrics.m");
  const std::string absent = error_of([&] { args.at("ref_value"); });
  expect_contains(absent, "test.yaml:3: metrics.m");
  expect_contains(absent, "'ref_value' is missing");
  expect_contains(absent, "k, size, path");
  expect_contains(error_of([&] { args.at("path").as_int(); }), "a whole number");
  expect_contains(error_of([&] { args.at("k").as_int(); }), "a number");
  expect_contains(error_of([&] { args.at("k").find("x"); }), "a map");
}

TEST(ParameterTest, IsChangedKeyByKey) {
  Parameter args = kArgs;
  args.set("k", 0.2);
  args.set("new", "x");
  EXPECT_EQ(args.at("k").as_real(), 0.2);
  EXPECT_EQ(args.as_map().front().first, "k");
  EXPECT_EQ(args.as_map().back().first, "new");
  EXPECT_EQ(args.without("new").without("k"), kArgs.without("k"));
  EXPECT_NE(args, kArgs);
}

TEST(ParameterTest, TheCanonicalTextKnowsNoOrder) {
  const Parameter other = Parameter::Map{{"b", 1}, {"a", Parameter::List{1.5, "x"}}};
  EXPECT_EQ(canonical_text(other), R"({"a":[1.5,"x",],"b":1,})");
  EXPECT_EQ(canonical_text(Parameter::Map{{"a", Parameter::List{1.5, "x"}}, {"b", 1.0}}),
            canonical_text(other));
  EXPECT_EQ(canonical_text(Parameter()), "null");
  EXPECT_EQ(canonical_text(false), "false");
}

}  // namespace
}  // namespace palimpsest::eval
