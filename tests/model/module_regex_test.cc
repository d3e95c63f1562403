#include "palimpsest/model/internal/module_regex.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace palimpsest::model {
namespace {

TEST(ModuleRegexTest, MatchesTheWholeName) {
  const ModuleRegex regex(R"(model\.layers\.\d+\.(self_attn|mlp)\.[qv]_proj)", "");
  EXPECT_TRUE(regex.matches("model.layers.12.self_attn.q_proj"));
  EXPECT_FALSE(regex.matches("model.layers.12.self_attn.q_proj.x"));
  EXPECT_FALSE(regex.matches("base.model.layers.12.self_attn.q_proj"));
  EXPECT_FALSE(regex.matches("model.layers.12.self_attn.k_proj"));
  // re.fullmatch goes on to the alternative that reaches the end.
  EXPECT_TRUE(ModuleRegex("a|ab", "").matches("ab"));
}

TEST(ModuleRegexTest, GivesItsFirstGroup) {
  const ModuleRegex regex(R"(.*\.h\.(\d+)\.)", "");
  EXPECT_EQ(regex.first_group("transformer.h.3.attn.c_attn"), "3");
  EXPECT_EQ(regex.first_group("h.3.attn.c_attn"), std::nullopt);
  EXPECT_EQ(ModuleRegex("a", "").first_group("ab"), "");
}

TEST(ModuleRegexTest, WhatCannotBeUsedIsNamed) {
  expect_contains(error_of([] { ModuleRegex("(q_proj", "config: target_modules"); }),
                  "config: target_modules: the regular expression '(q_proj' cannot be used: ");
}

TEST(ModuleRegexTest, AMatchThatTakesTooLongIsAnError) {
  const ModuleRegex regex("(a+)+b", "config");
  expect_contains(error_of([&] { regex.matches(std::string(100, 'a') + "cb"); }),
                  "config: the regular expression '(a+)+b' cannot be used: match limit");
}

}  // namespace
}  // namespace palimpsest::model
