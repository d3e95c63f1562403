#include "palimpsest/config/compose.h"

#include <gtest/gtest.h>

#include "tests/config/config_tree.h"
#include "tests/config/golden_values.h"
#include "tests/support/expect_error.h"

namespace palimpsest::config {
namespace {

ConfigTree app() {
  return ConfigTree({{"config.yaml", "defaults:\n  - g: a\n  - _self_\nk: ${g.x}\nneeded: ???\n"},
                     {"g/a.yaml", "x: 1\n"}});
}

Composition composed(const ConfigTree& tree, const std::vector<std::string>& lines) {
  return compose({.folders = {tree.path()}}, parse_overrides(lines), golden_context());
}

TEST(ComposeTest, ValuesKnowFileAndKey) {
  const ConfigTree tree = app();
  const Composition job = composed(tree, {"needed=x"});
  EXPECT_EQ(job.config.at("g").at("x").where(),
            (tree.path() / "g/a.yaml").lexically_normal().string() + ":1: g.x");
  EXPECT_EQ(job.config.at("needed").where(), "override 'needed=x': needed");
  EXPECT_EQ(job.config.find("hydra"), nullptr);
}

TEST(ComposeTest, ResolvingLeavesWhatMustBeGiven) {
  const ConfigTree tree = app();
  const Composition job = composed(tree, {});
  const Value config = resolve(job, golden_context(), OnFailure::kThrow);
  EXPECT_EQ(config.at("k").as_int(), 1);
  expect_contains(error_of([&] { config.at("needed").as_text(); }),
                  "add needed=… to the command line");
}

TEST(ComposeTest, ErrorsQuoteTheOverride) {
  const ConfigTree tree = app();
  expect_contains(error_of([&] { composed(tree, {"g.y=1"}); }),
                  "override 'g.y=1': there is no key 'y' (found the keys x)");
  expect_contains(error_of([&] { composed(tree, {"k=1,2"}); }), "or add --multirun");
  expect_contains(error_of([&] { composed(tree, {"+k=1"}); }), "leave the + out");
}

TEST(ComposeTest, SearchPathsAreSearched) {
  const ConfigTree more({{"g/b.yaml", "x: 2\n"}});
  const ConfigTree tree({{"config.yaml", "defaults:\n  - g: b\nhydra:\n  searchpath: [file://" +
                                             more.path().string() + "]\n"}});
  EXPECT_EQ(composed(tree, {}).config.at("g").at("x").as_int(), 2);
  const ConfigTree plain({{"config.yaml", "defaults:\n  - g: b\n"}});
  error_of([&] { composed(plain, {}); });
  EXPECT_EQ(composed(plain, {"hydra.searchpath=['" + more.path().string() + "']"})
                .config.at("g")
                .at("x")
                .as_int(),
            2);
}

TEST(ComposeTest, WhatIsKnownOfTheJob) {
  const ConfigTree tree({{"config.yaml",
                          "a: 1\nb: ${hydra:job.override_dirname}\nc: "
                          "${hydra:job.config_name}\nd: ${hydra:overrides.task}\n"}});
  const Composition job = composed(tree, {"a=2", "hydra.verbose=true"});
  const Value config = resolve(job, golden_context(), OnFailure::kThrow);
  EXPECT_EQ(config.at("b").as_text(), "a=2");
  EXPECT_EQ(config.at("c").as_text(), "config");
  EXPECT_EQ(config.at("d"), Value(Value::List{"a=2"}));
}

}  // namespace
}  // namespace palimpsest::config
