// Conformance over every entry of the table: a new attack must say what it needs and keep to its
// orientation.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "palimpsest/attack/attack.h"

namespace palimpsest {
namespace {

// A trace of a model that finds the text this surprising; the first choice is never the true token.
Trace traced(double surprise) {
  const double norm = 10 * surprise;
  return {.index = "0",
          .text = "one two three",
          .num_labels = 4,
          .logprob = {{-surprise, -2 * surprise, -surprise, -surprise}},
          .mean = {{-1, -1, -1, -1}},
          .var = {{1, 1, 1, 1}},
          .argmax = {{9, 9, 9, 9}},
          .label = {{1, 2, 3, 4}},
          .grad_norm = {{"1", norm}, {"2", norm}, {"inf", norm}}};
}

// The score against a reference model of middling surprise where the attack asks for one.
std::optional<double> score(const Attack& attack, const Trace& trace) {
  return attack.needs_reference() ? attack.compare(trace, traced(1), {}) : attack.score(trace, {});
}

TEST(AttackTableTest, EveryEntryIsDescribedOnLinesOfAtMost100Columns) {
  constexpr size_t kWidest = 86;  // 100 without the margin of `palimpsest list`
  std::set<std::string_view> names;
  for (const Attack& attack : default_attack_table()) {
    EXPECT_TRUE(names.insert(attack.name).second) << attack.name;
    for (std::string_view line :
         {attack.measures, attack.cost, attack.use, attack.avoid, attack.paper}) {
      EXPECT_FALSE(line.empty()) << attack.name;
      EXPECT_LE(line.size(), kWidest) << line;
    }
    EXPECT_FALSE(attack.needs.empty()) << attack.name;
    EXPECT_NE(attack.score == nullptr, attack.compare == nullptr) << attack.name;
    EXPECT_EQ(attack.needs_reference(), !attack.reference_needs.empty()) << attack.name;
  }
}

TEST(AttackTableTest, HoldsTheAttacksThatTheProgramPromises) {
  std::vector<std::string> names;
  for (const Attack& attack : default_attack_table()) names.push_back(attack.name);
  EXPECT_EQ(names, (std::vector<std::string>{"loss", "min_k", "min_k_plus_plus", "zlib", "surp",
                                             "gradnorm", "reference", "ratio", "wbc", "ez_mia"}));
}

TEST(AttackTableTest, HigherMeansLessFamiliar) {
  for (const Attack& attack : default_attack_table()) {
    const auto known = score(attack, traced(0.1));
    const auto unknown = score(attack, traced(3));
    ASSERT_TRUE(known && unknown) << attack.name;
    EXPECT_LT(*known, *unknown) << attack.name;
  }
}

TEST(AttackTableTest, EveryAttackSaysWhatAnEmptyTraceLacks) {
  const Trace bare{.index = "0", .num_labels = 3};
  auto met = [](const std::vector<TraceNeed>& needs, const Trace& trace) {
    return std::all_of(needs.begin(), needs.end(),
                       [&](const TraceNeed& need) { return need.is_met(trace, {}); });
  };
  for (const Attack& attack : default_attack_table()) {
    EXPECT_FALSE(met(attack.needs, bare)) << attack.name;
    EXPECT_TRUE(met(attack.needs, traced(1))) << attack.name;
    EXPECT_TRUE(met(attack.reference_needs, traced(1))) << attack.name;
    EXPECT_EQ(met(attack.reference_needs, bare), !attack.needs_reference()) << attack.name;
  }
}

// Without any labelled token nothing is needed and nothing can be said; Min-K and Min-K++ are 0 by
// their definition.
TEST(AttackTableTest, WithoutLabelsTheScoreIsUndefined) {
  const Trace empty{.index = "0", .num_labels = 0};
  for (const Attack& attack : default_attack_table()) {
    for (const TraceNeed& need : attack.needs) EXPECT_TRUE(need.is_met(empty, {})) << need.name;
    const bool min_k = attack.name.starts_with("min_k");
    const std::optional<double> expected = min_k ? std::optional<double>(0) : std::nullopt;
    const auto found =
        attack.needs_reference() ? attack.compare(empty, empty, {}) : attack.score(empty, {});
    EXPECT_EQ(found, expected) << attack.name;
  }
}

// One labelled token is the last one, so token-wise scores have nothing to look at.
TEST(AttackTableTest, OneAndTwoTokensAndEqualTokensScoreWithoutFail) {
  Trace one{.index = "0",
            .text = "a",
            .num_labels = 1,
            .logprob = {{-2}},
            .mean = {{-1}},
            .var = {{1}},
            .argmax = {{9}},
            .label = {{1}}};
  const std::map<std::string, std::optional<double>> expected = {
      {"loss", 2}, {"min_k", 0},     {"min_k_plus_plus", 0}, {"zlib", 2.0 / 9}, {"surp", {}},
      {"wbc", {}}, {"gradnorm", {}}, {"ez_mia", {}},         {"reference", 0},  {"ratio", 1}};
  Trace two = one;
  two.num_labels = 2;
  two.logprob = {{-2, -2}};
  two.mean = {{-1, -1}};
  two.var = {{1, 1}};
  two.argmax = {{9, 9}};
  two.label = {{1, 1}};
  two.grad_norm = {{"2", 5}};
  // The model is its own reference; every token is as likely as the other.
  const std::map<std::string, double> of_two = {
      {"loss", 2}, {"min_k", 2},    {"min_k_plus_plus", 1}, {"zlib", 2.0 / 9}, {"surp", 2},
      {"wbc", 1},  {"gradnorm", 5}, {"ez_mia", 0.5},        {"reference", 0},  {"ratio", 1}};
  for (const Attack& attack : default_attack_table()) {
    auto self = [&](const Trace& t) {
      return attack.needs_reference() ? attack.compare(t, t, {}) : attack.score(t, {});
    };
    EXPECT_EQ(self(one), expected.at(attack.name)) << attack.name;
    EXPECT_EQ(self(two), of_two.at(attack.name)) << attack.name;
    EXPECT_TRUE(kNeedsGradNorm.is_met(one, {}));
  }
}

}  // namespace
}  // namespace palimpsest
