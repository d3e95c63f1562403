#include "palimpsest/config/override.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/expect_error.h"

namespace palimpsest::config {
namespace {

std::string override_refusal(const std::string& line) {
  return error_of([&] { parse_override(line); });
}

TEST(OverrideTest, PartsOfAnOverride) {
  const Override override = parse_override("+db/engine@store.a=x");
  EXPECT_EQ(override.kind, OverrideKind::kAdd);
  EXPECT_EQ(override.key, "db/engine");
  EXPECT_EQ(override.package, "store.a");
  EXPECT_EQ(override.single(), Value("x"));
  EXPECT_EQ(override.key_with_package(), "+db/engine@store.a");
  EXPECT_FALSE(override.is_for_hydra());
  EXPECT_TRUE(parse_override("hydra.run.dir=x").is_for_hydra());
}

TEST(OverrideTest, ValuesKnowTheirOverride) {
  const Override override = parse_override("a={b:[1]}");
  EXPECT_EQ(override.single().at("b").as_list()[0].location(), "override 'a={b:[1]}'");
}

TEST(OverrideTest, ErrorsQuoteTheOverride) {
  expect_contains(override_refusal("a"), "override 'a': there is no =");
  expect_contains(override_refusal("a=b=c"), "'=' is not expected here");
  expect_contains(override_refusal("a=#1"), "put the value between quotation marks");
  expect_contains(override_refusal("a=[1"), "the value ends too early");
  expect_contains(override_refusal("a b=1"), "this is not a key");
  expect_contains(override_refusal("a=nope(1)"),
                  "there is no function 'nope' (expected one of bool, choice");
  expect_contains(override_refusal("a=shuffle(1,2)"), "drawn at random");
  expect_contains(override_refusal("a=[range(3)]"), "a sweep cannot be inside");
}

TEST(OverrideTest, HostileLinesEndInAnError) {
  expect_contains(override_refusal("a=" + std::string(100'000, '[')), "nested deeper than");
  expect_contains(override_refusal("a=range(0,1000000000000)"), "more than 10000 numbers");
  expect_contains(override_refusal("a=range(0,1,1e-9)"), "more than 10000 numbers");
  expect_contains(override_refusal("a=99999999999999999999"), "override 'a=9");
}

TEST(OverrideTest, BytesThatAreNoTextAreRefused) {
  EXPECT_EQ(override_refusal("a=int(x\xF7)"),
            "the command line: an override is not valid UTF-8 at byte 7");
}

TEST(OverrideTest, TextsThatReadBack) {
  for (const char* line : {"a=x", "a='1'", "a='x y'", "a='it\\'s'", "a='a\\\\'", "a=''", "a=null",
                           "a=[1,'2',{b:x,c\\:d:1.5}]", "a=1e-7", "a='${b}'", "a='#é'"}) {
    const Override override = parse_override(line);
    const Override again = parse_override("a=" + override_text(override.single()));
    EXPECT_EQ(again.single(), override.single()) << line;
  }
}

}  // namespace
}  // namespace palimpsest::config
