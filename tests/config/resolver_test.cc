#include "palimpsest/config/internal/resolver.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "palimpsest/config/internal/yaml_reader.h"
#include "tests/support/expect_error.h"

namespace palimpsest::config {
namespace {

const ConfigContext kEmptyContext;

Value resolved(const std::string& yaml, OnFailure on_failure = OnFailure::kThrow) {
  const Value root = read_yaml(yaml, "x.yaml");
  return Resolver(root, nullptr, kEmptyContext).resolve(on_failure);
}

TEST(ResolverTest, ValuesKeepTheirOwnPlace) {
  const Value value = resolved("a: 1\nb:\n  c: ${a}\n");
  EXPECT_EQ(value.at("b").at("c").where(), "x.yaml:3: b.c");
}

TEST(ResolverTest, FailuresAreKeptUntilTheyAreRead) {
  const Value value = resolved("a: ${nope}\nb: ${c}\nc: ???\nd: 1\n", OnFailure::kKeep);
  EXPECT_EQ(value.at("d").as_int(), 1);
  expect_contains(error_of([&] { value.at("a").as_text(); }),
                  "x.yaml:1: a: ${nope} refers to nothing");
  expect_contains(error_of([&] { value.at("b").as_text(); }), "${c} refers to ???");
  EXPECT_TRUE(value.at("c").is_missing());
}

// The file that asks for a value is not the one to correct if that value leads nowhere.
TEST(ResolverTest, FailuresAreReportedWhereTheyStand) {
  const std::string yaml = "path: ${inner.log}\ninner:\n  log: ${nope}\n";
  const Value value = resolved(yaml, OnFailure::kKeep);
  EXPECT_EQ(error_of([&] { value.at("path").as_text(); }),
            "x.yaml:3: inner.log: ${nope} refers to nothing: there is no such key");
  EXPECT_EQ(error_of([&] { resolved(yaml); }),
            "x.yaml:3: inner.log: ${nope} refers to nothing: there is no such key");
}

TEST(ResolverTest, CirclesAreRefused) {
  for (const char* yaml :
       {"a: ${a}\n", "a: ${b}\nb: ${c}\nc: ${a}\n", "a: {b: '${a}'}\n",
        "a: {x: '${b}'}\nb: {y: '${a}'}\n", "a: x${a}\n", "a: '${b.${a}}'\nb: {}\n"}) {
    error_of([&] { resolved(yaml); });
  }
  expect_contains(error_of([] { resolved("a: ${b}\nb: ${a}\n"); }), "form a cycle");
}

TEST(ResolverTest, ExpansionIsBounded) {
  std::string lists = "a0: [x, x, x, x, x, x, x, x, x, x]\n";
  std::string texts = "b0: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n";
  for (int i = 1; i < 30; ++i) {
    lists += fmt::format("a{0}: ['${{a{1}}}', '${{a{1}}}', '${{a{1}}}']\n", i, i - 1);
    texts += fmt::format("b{0}: ${{b{1}}}${{b{1}}}${{b{1}}}\n", i, i - 1);
  }
  expect_contains(error_of([&] { resolved(lists); }), "expand to more than");
  expect_contains(error_of([&] { resolved(texts); }), "expand to more than");
}

TEST(ResolverTest, LongChainsAreRefused) {
  std::string chain;
  for (int i = 0; i < 5000; ++i) {
    chain += "k" + std::to_string(i) + ": ${k" + std::to_string(i + 1) + "}\n";
  }
  expect_contains(error_of([&] { resolved(chain + "k5000: x\n"); }), "lead to one another");
}

TEST(ResolverTest, InterpolationsNeedSomethingAroundThem) {
  expect_contains(error_of([] { resolved("x ${a.b}\n"); }), "must be in a list or a map");
}

TEST(ResolverTest, UnknownResolversListTheKnownOnes) {
  expect_contains(error_of([] { resolved("a: ${nope:1}\n"); }),
                  "there is no resolver 'nope' (expected one of hydra, now, oc.create");
  expect_contains(error_of([] { resolved("a: ${now:%Y}\n"); }), "the time is not known");
  expect_contains(error_of([] { resolved("a: ${oc.env:HOME}\n"); }), "HOME is not set");
  expect_contains(error_of([] { resolved("a: ${hydra:runtime.cwd}\n"); }), "nothing is known");
}

TEST(ResolverTest, SelectionLooksThroughInterpolations) {
  const Value root = read_yaml("a: ${b}\nb: {c: 1, d: null, e: \"???\"}\n", "x.yaml");
  Resolver resolver(root, nullptr, kEmptyContext);
  EXPECT_EQ(resolver.select("a.c"), Value(1));
  for (const char* absent : {"a.d", "a.e", "a.x", "x", "a.c.x"}) {
    EXPECT_EQ(resolver.select(absent), std::nullopt) << absent;
  }
  EXPECT_EQ(resolver.locate("a"), root.find("b"));
  EXPECT_EQ(resolver.follow({"a"}), root.find("b"));
  EXPECT_EQ(resolver.follow({"x"}), nullptr);
  EXPECT_EQ(resolver.evaluate("<${b.c}>"), Value("<1>"));
}

TEST(ResolverTest, ValuesAsPythonShowsThem) {
  EXPECT_EQ(python_str(Value(Value::List{Value(), true, 1.0, "it's"})),
            "[None, True, 1.0, \"it's\"]");
  EXPECT_EQ(python_str(Value(Value::Map{{"a", "b"}})), "{'a': 'b'}");
}

}  // namespace
}  // namespace palimpsest::config
