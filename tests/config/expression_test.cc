#include "palimpsest/config/internal/expression.h"

#include <gtest/gtest.h>

#include <string>

#include "palimpsest/config/internal/yaml_reader.h"
#include "tests/support/expect_error.h"

namespace palimpsest::config {
namespace {

using Kind = Expression::Kind;

TEST(ExpressionTest, LoneInterpolationsKeepTheirKind) {
  EXPECT_EQ(parse_interpolation("${a.b}").kind, Kind::kNode);
  EXPECT_EQ(parse_interpolation("x${a.b}").kind, Kind::kText);
  EXPECT_EQ(parse_interpolation("\\${a}").literal, Value("${a}"));
  const Expression resolver = parse_interpolation("${oc.env:A,[1,{b:c}]}");
  ASSERT_EQ(resolver.kind, Kind::kResolver);
  ASSERT_EQ(resolver.parts.size(), 2U);
  EXPECT_EQ(resolver.parts[1].kind, Kind::kList);
}

TEST(ExpressionTest, MistakesAreFound) {
  for (const char* text : {"${", "${}", "${a", "${a b}", "${a..b}", "${oc.env:'x}", "${a.b:1,(}"}) {
    error_of([&] { parse_interpolation(text); });
  }
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "${";
  expect_contains(error_of([&] { parse_interpolation(deep); }), "nested deeper");
  expect_contains(error_of([] { parse_element(std::string(10'000, '[')); }), "nested deeper");
}

TEST(ExpressionTest, MistakesInAFileNameTheirLine) {
  const Value value = read_yaml("a: 1\nb: ['${a']\n", "x.yaml");
  expect_contains(error_of([&] { check_interpolations(value); }), "x.yaml:2: ");
}

}  // namespace
}  // namespace palimpsest::config
