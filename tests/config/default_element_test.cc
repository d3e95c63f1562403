#include "palimpsest/config/internal/default_element.h"

#include <gtest/gtest.h>

#include "palimpsest/config/internal/yaml_reader.h"
#include "tests/support/expect_error.h"

namespace palimpsest::config {
namespace {

DefaultElement entry(const std::string& yaml) {
  return parse_defaults(read_yaml("- " + yaml, "x.yaml"))[0];
}

TEST(DefaultElementTest, KeywordsAndPackages) {
  const DefaultElement element = entry("optional override /db@store.a: mysql");
  EXPECT_TRUE(element.optional);
  EXPECT_TRUE(element.override_keyword);
  EXPECT_EQ(element.group, "/db");
  EXPECT_EQ(element.package, "store.a");
  EXPECT_EQ(element.option, "mysql");
  EXPECT_EQ(entry("db@_here_: x").package, "");
  EXPECT_TRUE(entry("_self_").is_self());
  EXPECT_FALSE(entry("db: null").option);
}

TEST(DefaultElementTest, NamesFollowFromWhereItStands) {
  DefaultElement element = entry("db: mysql");
  element.set_parent("app", "app");
  EXPECT_EQ(element.config_path(), "app/db/mysql");
  EXPECT_EQ(element.final_package(), "app.db");
  EXPECT_EQ(element.override_key(), "app/db");
  element.set_package_header("store");
  EXPECT_EQ(element.final_package(), "store");
  EXPECT_EQ(element.override_key(), "app/db");

  DefaultElement absolute = entry("/db@_global_: mysql");
  absolute.set_parent("app", "app");
  EXPECT_EQ(absolute.config_path(), "db/mysql");
  EXPECT_EQ(absolute.final_package(), "");
  EXPECT_EQ(absolute.override_key(), "db@_global_");

  DefaultElement path = entry("sub/x");
  path.set_parent("app", "here");
  EXPECT_EQ(path.config_path(), "app/sub/x");
  EXPECT_EQ(path.final_package(), "here.sub");
}

TEST(DefaultElementTest, WhatIsNoEntry) {
  for (const char* yaml : {"{a: 1}", "{a: b, c: d}", "{}", "5", "[a]", "{'': a}", "{a: {b: c}}"}) {
    expect_contains(error_of([&] { entry(yaml); }), "x.yaml:1");
  }
}

}  // namespace
}  // namespace palimpsest::config
