// Conformance over every entry of the table: a new attack must say what it needs and keep to its
// orientation.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "palimpsest/attack/attack.h"
#include "tests/support/expect_error.h"

namespace palimpsest::attack {
namespace {

// A trace of a model that finds the text this surprising; the first choice is never the true token.
trace::Trace traced(double surprise) {
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
std::optional<double> score(const Attack& attack, const trace::Trace& trace) {
  const trace::Trace reference = traced(1);
  return attack.score_of(trace, &reference, attack.values());
}

TEST(AttackTableTest, EveryEntryIsDescribedOnLinesOfAtMost100Columns) {
  constexpr size_t kWidest = 86;  // 100 without the margin of `palimpsest list`
  for (const Attack& attack : default_attack_table()) {
    for (const std::string& line :
         {attack.measures, attack.cost, attack.use, attack.avoid, attack.paper}) {
      EXPECT_FALSE(line.empty()) << attack.name;
      EXPECT_LE(line.size(), kWidest) << line;
    }
    EXPECT_FALSE(attack.needs.empty()) << attack.name;
    EXPECT_EQ(attack.needs_reference(), !attack.reference_needs.empty()) << attack.name;
  }
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
  const trace::Trace bare{.index = "0", .num_labels = 3};
  for (const Attack& attack : default_attack_table()) {
    auto met = [&](const std::vector<TraceNeed>& needs, const trace::Trace& trace) {
      return std::ranges::all_of(
          needs, [&](const TraceNeed& need) { return need.is_met(trace, attack.values()); });
    };
    EXPECT_FALSE(met(attack.needs, bare)) << attack.name;
    EXPECT_TRUE(met(attack.needs, traced(1))) << attack.name;
    EXPECT_TRUE(met(attack.reference_needs, traced(1))) << attack.name;
    EXPECT_EQ(met(attack.reference_needs, bare), !attack.needs_reference()) << attack.name;
  }
}

// Without any labelled token nothing is needed and little can be said: the score is undefined, or 0
// by the attack's definition.
TEST(AttackTableTest, WithoutLabelsNothingIsNeeded) {
  const trace::Trace empty{.index = "0", .num_labels = 0};
  for (const Attack& attack : default_attack_table()) {
    const ParameterValues values = attack.values();
    for (const TraceNeed& need : attack.needs) EXPECT_TRUE(need.is_met(empty, values)) << need.name;
    EXPECT_EQ(attack.score_of(empty, &empty, values).value_or(0), 0) << attack.name;
  }
}

// One labelled token is the last one, so token-wise scores have nothing to look at; of two tokens
// that are as likely as each other, under a model that is its own reference, nothing divides by 0.
TEST(AttackTableTest, OneAndTwoTokensAndEqualTokensScoreWithoutFail) {
  const trace::Trace one{.index = "0",
                         .text = "a",
                         .num_labels = 1,
                         .logprob = {{-2}},
                         .mean = {{-1}},
                         .var = {{1}},
                         .argmax = {{9}},
                         .label = {{1}}};
  trace::Trace two = one;
  two.num_labels = 2;
  two.logprob = {{-2, -2}};
  two.mean = {{-1, -1}};
  two.var = {{1, 1}};
  two.argmax = {{9, 9}};
  two.label = {{1, 1}};
  two.grad_norm = {{"1", 5}, {"2", 5}, {"inf", 5}};
  for (const Attack& attack : default_attack_table()) {
    const ParameterValues values = attack.values();
    for (const TraceNeed& need : attack.needs) EXPECT_TRUE(need.is_met(one, values)) << need.name;
    EXPECT_TRUE(std::isfinite(attack.score_of(one, &one, values).value_or(0))) << attack.name;
    const std::optional<double> of_two = attack.score_of(two, &two, values);
    ASSERT_TRUE(of_two) << attack.name;
    EXPECT_TRUE(std::isfinite(*of_two)) << attack.name;
  }
}

TEST(AttackTableTest, TheDefaultTableIsValid) {
  EXPECT_NO_THROW(require_valid(default_attack_table()));
}

// A row with nothing but what is required.
Attack bare_attack(std::string name) {
  return {.name = std::move(name),
          .measures = "nothing",
          .score = [](const trace::Trace&, const ParameterValues&) {
            return std::optional<double>(0);
          }};
}

std::string error_with(Attack attack) {
  AttackTable table = default_attack_table();
  table.push_back(std::move(attack));
  return error_of([&] { require_valid(table); });
}

TEST(AttackTableTest, NamesThatMeanSomethingElseAreRefused) {
  EXPECT_NO_THROW(require_valid({bare_attack("mine")}));
  // mia.json holds what concerns all attacks under "audit", beside the attacks; "all" selects.
  for (const char* name : {"audit", "all"}) {
    expect_contains(error_with(bare_attack(name)),
                    fmt::format("an attack cannot be called '{}'", name));
  }
  for (const char* name : {"", "a,b", "a:k=1", "a=b", "a b"}) {
    expect_contains(error_with(bare_attack(name)), fmt::format("cannot be called '{}'", name));
  }
  expect_contains(error_with(bare_attack("loss")), "two attacks are called 'loss'");
  expect_contains(error_of([] { select_attacks({bare_attack("audit")}, "all"); }), "'audit'");
}

TEST(AttackTableTest, AnAttackScoresInOneWay) {
  Attack both = bare_attack("both");
  both.compare = [](const trace::Trace&, const trace::Trace&, const ParameterValues&) {
    return std::optional<double>(0);
  };
  expect_contains(error_with(both), "one of score and compare");
  Attack none = bare_attack("none");
  none.score = nullptr;
  expect_contains(error_with(none), "one of score and compare");
}

TEST(AttackTableTest, ParametersAgreeWithTheirRanges) {
  const AttackParameter width = {
      .name = "width",
      .meaning = "how many tokens a window has",
      .default_value = 3,
      .range = {.expected = "at least 1", .contains = [](double w) { return w >= 1; }}};
  Attack attack = bare_attack("windows");
  attack.parameters = {width};
  EXPECT_NO_THROW(require_valid({attack}));
  attack.parameters[0].default_value = 0;
  expect_contains(error_with(attack), "windows's width is 0 (expected at least 1)");
  attack.parameters = {width};
  attack.parameters[0].sweep = {1, 0.5};
  expect_contains(error_with(attack), "windows's width is 0.5");
  attack.parameters = {width, width};
  expect_contains(error_with(attack), "two parameters 'width'");
  // -k shows one default, so that all that it reaches have it.
  attack.parameters = {width};
  attack.parameters[0].name = "k";
  attack.parameters[0].is_common = true;
  expect_contains(error_with(attack), "min_k and windows have the common parameter 'k'");
}

TEST(AttackTableTest, AnAttackReadsOnlyWhatItDeclares) {
  expect_contains(error_of([] { parameter_value({{"k", 0.2}}, "p"); }), "'p'");
}

// Nothing that the row was made from has to live on.
TEST(AttackTableTest, ATableOwnsWhatItHolds) {
  AttackTable table;
  {
    const std::string text = "a text that is too long for any buffer inside of a string";
    const auto offset = std::make_unique<double>(5);
    Attack attack = bare_attack("mine");
    attack.measures = text;
    attack.score = [copy = *offset](const trace::Trace& trace, const ParameterValues&) {
      return std::optional<double>(copy + static_cast<double>(trace.num_labels));
    };
    table.push_back(std::move(attack));
  }
  const AttackTable copy = table;
  table.clear();
  EXPECT_EQ(copy[0].measures, "a text that is too long for any buffer inside of a string");
  EXPECT_EQ(copy[0].score_of({.index = "0", .num_labels = 2}, nullptr, copy[0].values()), 7);
}

}  // namespace
}  // namespace palimpsest::attack
