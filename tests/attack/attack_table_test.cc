// Conformance over every entry of the table: a new attack must say what it needs and keep to its
// orientation.

#include <gtest/gtest.h>

#include <set>

#include "palimpsest/attack/attack.h"
#include "tests/support/expect_error.h"

namespace palimpsest {
namespace {

Trace familiar(double surprise) {
  return {.index = "0",
          .text = "one two three",
          .num_labels = 4,
          .logprob = {{-surprise, -2 * surprise, -surprise, -surprise}},
          .mean = {{-1, -1, -1, -1}},
          .var = {{1, 1, 1, 1}}};
}

TEST(AttackTableTest, EveryEntryIsDescribed) {
  std::set<std::string_view> names;
  for (const Attack& attack : default_attack_table()) {
    EXPECT_TRUE(names.insert(attack.name).second) << attack.name;
    EXPECT_FALSE(attack.measures.empty()) << attack.name;
    EXPECT_FALSE(attack.cost.empty()) << attack.name;
    EXPECT_FALSE(attack.use.empty()) << attack.name;
    EXPECT_FALSE(attack.needs.empty()) << attack.name;
  }
}

TEST(AttackTableTest, HigherMeansLessFamiliar) {
  for (const Attack& attack : default_attack_table()) {
    const auto known = attack.score(familiar(0.1), {});
    const auto unknown = attack.score(familiar(3), {});
    ASSERT_TRUE(known && unknown) << attack.name;
    EXPECT_LT(*known, *unknown) << attack.name;
  }
}

TEST(AttackTableTest, EveryAttackSaysWhatAnEmptyTraceLacks) {
  const Trace bare{.index = "0", .num_labels = 3};
  for (const Attack& attack : default_attack_table()) {
    bool met = true;
    for (const TraceNeed& need : attack.needs) met = met && need.is_met(bare);
    EXPECT_FALSE(met) << attack.name;
    for (const TraceNeed& need : attack.needs) EXPECT_TRUE(need.is_met(familiar(1))) << need.name;
  }
}

TEST(SelectAttacksTest, SelectsByNameInTheOrderGiven) {
  const AttackTable selected = select_attacks(default_attack_table(), "zlib,loss,zlib");
  ASSERT_EQ(selected.size(), 2U);
  EXPECT_EQ(selected[0].name, "zlib");
  EXPECT_EQ(selected[1].name, "loss");
  EXPECT_EQ(select_attacks(default_attack_table(), "all").size(), default_attack_table().size());
}

TEST(SelectAttacksTest, AnUnknownNameListsTheKnownOnes) {
  const std::string message = error_of([] { select_attacks(default_attack_table(), "loss,los"); });
  expect_contains(message, "unknown attack 'los'");
  expect_contains(message, "loss, min_k, min_k_plus_plus, zlib");
  error_of([] { select_attacks(default_attack_table(), ""); });
}

TEST(AttackOptionsTest, RefusesKOutsideItsRange) {
  for (double k : {0.0, -0.1, 1.1}) {
    expect_contains(error_of([k] { require_valid(AttackOptions{.k = k}); }),
                    "greater than 0, at most 1");
  }
  EXPECT_NO_THROW(require_valid(AttackOptions{.k = 1}));
}

}  // namespace
}  // namespace palimpsest
