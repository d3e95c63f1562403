#include <gtest/gtest.h>

#include <set>

#include "tests/eval/handler_call.h"

namespace palimpsest::eval {
namespace {

// A handler says in at most one way how its uncertainty is assessed.
TEST(HandlerTableTest, NoHandlerHasTwoKindsOfInterval) {
  for (const Handler& one : default_handler_table()) {
    const int kinds = (one.is_attack() ? 1 : 0) + (one.averaged != nullptr ? 1 : 0) +
                      (one.combine != nullptr ? 1 : 0) + (one.tests_distribution ? 1 : 0);
    EXPECT_LE(kinds, 1) << one.name;
  }
}

TEST(HandlerTableTest, UnknownOnesAreNamed) {
  const std::string message =
      error_of([] { find_handler(default_handler_table(), "probabilty", ""); });
  expect_contains(message, "probabilty");
  expect_contains(message, "probability, probability_w_options");
  expect_contains(error_of([] { find_handler(default_handler_table(), "classifier_prob", ""); }),
                  "open-unlearning");
}

// One of them would silently never be used.
TEST(HandlerTableTest, TwoOfOneNameAreRefused) {
  HandlerTable table = default_handler_table();
  table.push_back({.name = "rouge"});
  expect_contains(error_of([&] { find_handler(table, "rouge", "test.yaml"); }),
                  "test.yaml: two metric handlers are called 'rouge'");
  EXPECT_EQ(find_handler(table, "probability", "").name, "probability");
}

// Every row can be listed and computed.
TEST(HandlerTableTest, TheTableIsComplete) {
  std::set<std::string> names;
  for (const Handler& one : default_handler_table()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_FALSE(one.measures.empty()) << one.name;
    EXPECT_FALSE(one.orientation.empty()) << one.name;
    EXPECT_NE(one.needs, nullptr) << one.name;
    EXPECT_NE(one.compute, nullptr) << one.name;
  }
  // One per attack, after the others.
  const size_t others = names.size() - attack::default_attack_table().size();
  EXPECT_EQ(default_handler_table()[others - 1].attack, "");
  for (size_t i = 0; i < attack::default_attack_table().size(); ++i) {
    const Handler& one = default_handler_table()[others + i];
    EXPECT_EQ(one.attack, attack::default_attack_table()[i].name);
    EXPECT_EQ(one.name, "mia_" + one.attack);
  }
}

}  // namespace
}  // namespace palimpsest::eval
