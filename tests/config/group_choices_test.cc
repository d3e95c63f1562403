#include "palimpsest/config/internal/group_choices.h"

#include <gtest/gtest.h>

#include "palimpsest/config/compose.h"
#include "tests/config/config_tree.h"
#include "tests/support/expect_error.h"

namespace palimpsest::config {
namespace {

GroupChoices choices_of(const std::vector<std::string>& lines) {
  static const ConfigTree tree({{"g/a.yaml", ""}, {"g/b.yaml", ""}});
  return GroupChoices(ConfigSource({tree.path()}), parse_overrides(lines));
}

TEST(GroupChoicesTest, SortsOverrides) {
  const GroupChoices choices =
      choices_of({"g=b", "x=1", "+g@p=a", "hydra/launcher=x", "hydra.a=1"});
  ASSERT_EQ(choices.config_overrides().size(), 2U);
  EXPECT_EQ(choices.config_overrides()[0].key, "x");
  ASSERT_EQ(choices.additions().size(), 1U);
  EXPECT_EQ(choices.additions()[0].package, "p");
}

TEST(GroupChoicesTest, TheCommandLineComesFirst) {
  GroupChoices choices = choices_of({"g=b"});
  choices.add_override({.group = "g", .option = "c"});
  DefaultElement element{.group = "g", .option = "a"};
  choices.apply(element);
  EXPECT_EQ(element.option, "b");
  choices.require_all_used();
}

TEST(GroupChoicesTest, WhatFitsNothingIsRefused) {
  expect_contains(error_of([] { choices_of({"g=b"}).require_all_used(); }),
                  "override 'g=b': no defaults list has an entry 'g' to override; +g=… adds it");
  expect_contains(error_of([] { choices_of({"~g"}).require_all_used(); }), "to delete");
  expect_contains(error_of([] { choices_of({"g=1"}); }), "must be a text or a list of texts");
  expect_contains(error_of([] { choices_of({"++g=a"}); }), "takes no ++");
}

TEST(GroupChoicesTest, OneOptionPerGroup) {
  GroupChoices choices = choices_of({});
  choices.remember({.group = "g", .option = "a"});
  choices.remember({.group = "g", .option = "a"});
  expect_contains(error_of([&] { choices.remember({.group = "g", .option = "b"}); }),
                  "the defaults lists choose different options for the group 'g'");
  DefaultElement later{.group = "h", .option = "${g}_x"};
  choices.resolve(later);
  EXPECT_EQ(later.option, "a_x");
}

}  // namespace
}  // namespace palimpsest::config
