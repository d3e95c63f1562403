#include "palimpsest/config/internal/defaults_list.h"

#include <gtest/gtest.h>

#include "palimpsest/config/compose.h"
#include "tests/config/config_tree.h"
#include "tests/support/expect_error.h"

namespace palimpsest::config {
namespace {

DefaultsList list_of(const ConfigTree& tree, const std::vector<std::string>& lines) {
  ConfigSource source({tree.path()});
  return make_defaults_list(source, "config", parse_overrides(lines));
}

TEST(DefaultsListTest, PartsInTheOrderOfMerging) {
  const ConfigTree tree({{"config.yaml", "defaults:\n  - g: a\n  - _self_\n  - g@p: b\n"},
                         {"g/a.yaml", "defaults:\n  - sub/x\n"},
                         {"g/b.yaml", ""},
                         {"g/sub/x.yaml", ""}});
  const DefaultsList list = list_of(tree, {"k=1"});
  ASSERT_EQ(list.parts.size(), 4U);
  EXPECT_EQ(list.parts[0].config, "g/sub/x");
  EXPECT_EQ(list.parts[0].package, "g.sub");
  EXPECT_EQ(list.parts[1].config, "g/a");
  EXPECT_EQ(list.parts[2].config, "config");
  EXPECT_EQ(list.parts[3].package, "p");
  EXPECT_EQ(list.choices.at("g"), Value("a"));
  EXPECT_EQ(list.choices.at("g@p"), Value("b"));
  EXPECT_EQ(list.config_overrides.size(), 1U);
}

TEST(DefaultsListTest, UnknownOptionsListTheKnownOnes) {
  const ConfigTree tree(
      {{"config.yaml", "k: 1\ndefaults:\n  - g: c\n"}, {"g/a.yaml", ""}, {"g/b.yaml", ""}});
  const std::string message = error_of([&] { list_of(tree, {}); });
  expect_contains(message, "config.yaml:3: the group 'g' has no option 'c' (expected one of a, b)");
  expect_contains(error_of([&] { list_of(tree, {"g=d"}); }),
                  "override 'g=d': the group 'g' has no");
}

TEST(DefaultsListTest, UnknownOptionsInAFolderListThoseOfTheFolder) {
  const ConfigTree tree(
      {{"config.yaml", "defaults:\n  - g: a\n"}, {"g/a.yaml", ""}, {"g/sub/x.yaml", ""}});
  expect_contains(error_of([&] { list_of(tree, {"g=sub/y"}); }),
                  "the group 'g' has no option 'sub/y' (expected in sub: x)");
  expect_contains(error_of([&] { list_of(tree, {"g=other/y"}); }), "(expected in other: none)");
}

TEST(DefaultsListTest, AnOptionThatMustBeChosen) {
  const ConfigTree tree({{"config.yaml", "defaults:\n  - g: ???\n"}, {"g/a.yaml", ""}});
  expect_contains(error_of([&] { list_of(tree, {}); }),
                  "an option of 'g' must be chosen (expected one of a); add g=… to the command");
}

TEST(DefaultsListTest, ListsThatIncludeOneAnother) {
  const ConfigTree tree({{"config.yaml", "defaults:\n  - a\n"},
                         {"a.yaml", "defaults:\n  - b\n"},
                         {"b.yaml", "defaults:\n  - a\n"}});
  expect_contains(error_of([&] { list_of(tree, {}); }), "nested deeper than 64");
  const ConfigTree wide({{"config.yaml", "defaults:\n  - g/a@x\n  - g/a@y\n"},
                         {"g/a.yaml", "defaults:\n  - a@x\n  - a@y\n"}});
  error_of([&] { list_of(wide, {}); });
}

TEST(DefaultsListTest, HydrasOwnGroupsAreLeftOut) {
  const ConfigTree tree({{"config.yaml",
                          "defaults:\n  - hydra: own\n  - hydra/sweeper: x\n  - override "
                          "hydra/launcher: y\n"},
                         {"hydra/own.yaml", "defaults:\n  - override job_logging: z\na: 1\n"}});
  const DefaultsList list = list_of(tree, {"hydra/help=w"});
  ASSERT_EQ(list.parts.size(), 2U);
  EXPECT_EQ(list.parts[0].config, "hydra/own");
}

}  // namespace
}  // namespace palimpsest::config
