#include "palimpsest/config/internal/config_source.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/config/config_tree.h"
#include "tests/support/expect_error.h"

namespace palimpsest::config {
namespace {

TEST(ConfigSourceTest, GroupsAndTheirOptions) {
  const ConfigTree tree(
      {{"g/b.yaml", "x: 1\n"}, {"g/a.yaml", ""}, {"g/note.txt", ""}, {"c.yaml", ""}});
  const ConfigSource source({tree.path()});
  EXPECT_TRUE(source.has_group("g"));
  EXPECT_FALSE(source.has_group("c"));
  EXPECT_TRUE(source.has_config("g/a"));
  EXPECT_TRUE(source.has_config("g/a.yaml"));
  EXPECT_EQ(source.options("g"), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(source.options("absent").empty());
}

TEST(ConfigSourceTest, TheFirstFolderWins) {
  const ConfigTree first({{"a.yaml", "# @package p.q\nx: first\n"}});
  const ConfigTree second({{"a.yaml", "x: second\n"}, {"b.yaml", "x: second\n"}});
  ConfigSource source({first.path()});
  source.add_folder(second.path());
  EXPECT_EQ(source.load("a")->content.at("x").as_text(), "first");
  EXPECT_EQ(source.load("a")->package, "p.q");
  EXPECT_EQ(source.load("b")->content.at("x").as_text(), "second");
  EXPECT_EQ(source.load("c"), nullptr);
}

TEST(ConfigSourceTest, BadFilesNameTheirLine) {
  const ConfigTree tree({{"header.yaml", "\n# @package a b\n"},
                         {"defaults.yaml", "a: 1\ndefaults:\n  - x: [1]\n"},
                         {"self.yaml", "defaults:\n  - _self_@p\n"},
                         {"inter.yaml", "a: 1\nb: ${\n"}});
  ConfigSource source({tree.path()});
  expect_contains(error_of([&] { source.load("header"); }), "header.yaml:2: the header");
  expect_contains(error_of([&] { source.load("defaults"); }), "defaults.yaml:3: an option is not");
  expect_contains(error_of([&] { source.load("self"); }), "self.yaml:2: an entry");
  expect_contains(error_of([&] { source.load("inter"); }), "inter.yaml:2: ");
  expect_contains(error_of([] { ConfigSource({"absent/folder"}); }), "does not exist");
}

}  // namespace
}  // namespace palimpsest::config
