#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "palimpsest/attack/attack.h"
#include "tests/support/expect_error.h"

namespace palimpsest::attack {
namespace {

AttackTable select(std::string_view names) {
  return select_attacks(default_attack_table(), names);
}

std::vector<std::string> names_of(std::string_view names) {
  std::vector<std::string> found;
  for (const Attack& attack : select(names)) found.push_back(attack.name);
  return found;
}

TEST(SelectAttacksTest, SelectsByNameInTheOrderGiven) {
  EXPECT_EQ(names_of("zlib,loss,zlib"), (std::vector<std::string>{"zlib", "loss"}));
  EXPECT_EQ(select("all").size(), default_attack_table().size());
}

// As papers, open-unlearning and MIMIR spell them.
TEST(SelectAttacksTest, OtherSpellingsAreKnown) {
  EXPECT_EQ(names_of("LOSS,Min-K%,Min-K++,ZLIB,GradNorm,Reference"),
            (std::vector<std::string>{"loss", "min_k", "min_k_plus_plus", "zlib", "gradnorm",
                                      "reference"}));
  EXPECT_EQ(names_of("mia_loss,mia_min_k_plus_plus,Min-K%:k=0.3"),
            (std::vector<std::string>{"loss", "min_k_plus_plus", "min_k:k=0.3"}));
  EXPECT_EQ(names_of("LOSSAttack,MinKProbAttack,ref"),
            (std::vector<std::string>{"loss", "min_k", "reference"}));
  error_of([] { select("attack"); });
  error_of([] { select("mia_"); });
  error_of([] { select("mia_los"); });
}

TEST(SelectAttacksTest, AnUnknownNameListsTheKnownOnes) {
  const std::string message = error_of([] { select("loss,los"); });
  expect_contains(message, "unknown attack 'los'");
  for (const Attack& attack : default_attack_table()) expect_contains(message, attack.name);
  error_of([] { select(""); });
  error_of([] { select("loss,"); });
}

TEST(SelectAttacksTest, ParametersBelongToOneAttackAlone) {
  const AttackTable attacks = select("min_k:k=0.3,min_k,surp:entropy=1:k=0.50");
  ASSERT_EQ(attacks.size(), 3U);
  EXPECT_EQ(attacks[0].name, "min_k:k=0.3");
  EXPECT_EQ(attacks[0].values(), (ParameterValues{{"k", 0.3}}));
  EXPECT_EQ(attacks[1].name, "min_k");
  EXPECT_EQ(attacks[1].values(), (ParameterValues{{"k", 0.2}}));
  EXPECT_EQ(attacks[2].name, "surp:entropy=1:k=0.5");
  EXPECT_EQ(attacks[2].values(), (ParameterValues{{"k", 0.5}, {"entropy", 1}}));
}

TEST(SelectAttacksTest, ASelectedAttackKnowsItsRow) {
  for (const char* name : {"surp", "surp:k=0.5", "surp:entropy=1:k=0.5"}) {
    const AttackTable attacks = select(name);
    EXPECT_EQ(attacks.at(0).name, name);
    EXPECT_EQ(attacks.at(0).row_name(), "surp");
    EXPECT_EQ(row_named_in(name), "surp");
    EXPECT_NO_THROW(require_valid(attacks));
  }
  EXPECT_EQ(with_setting("surp:entropy=1", "k", 0.5), "surp:entropy=1:k=0.5");
  EXPECT_EQ(select(with_setting("gradnorm", "p", INFINITY)).at(0).name, "gradnorm:p=inf");
}

// -k of the command line reaches Min-K and Min-K++; SURP's k is another matter.
TEST(SelectAttacksTest, ACommonParameterReachesTheAttacksThatShareIt) {
  const AttackTable attacks = select_attacks(
      default_attack_table(), "min_k,min_k:k=0.3,min_k_plus_plus,surp,gradnorm,loss", {{"k", 0.7}});
  EXPECT_EQ(attacks[0].name, "min_k");
  EXPECT_EQ(attacks[0].values(), (ParameterValues{{"k", 0.7}}));
  EXPECT_EQ(attacks[1].values(), (ParameterValues{{"k", 0.3}}));
  EXPECT_EQ(attacks[2].values(), (ParameterValues{{"k", 0.7}}));
  EXPECT_EQ(attacks[3].values(), (ParameterValues{{"k", 0.4}, {"entropy", 2}}));
  EXPECT_EQ(attacks[4].values(), (ParameterValues{{"p", 2}}));
  EXPECT_TRUE(attacks[5].values().empty());
  const AttackTable all = select_attacks(default_attack_table(), "all", {{"p", 1}});
  const auto gradnorm = std::ranges::find(all, "gradnorm", &Attack::name);
  ASSERT_NE(gradnorm, all.end());
  EXPECT_EQ(gradnorm->values(), (ParameterValues{{"p", 1}}));
}

// An attack of one's own may take less than the others that share the parameter.
TEST(SelectAttacksTest, ACommonParameterIsInTheRangeOfEveryAttackThatTakesIt) {
  const AttackTable& table = default_attack_table();
  Attack own = select("min_k").at(0);
  own.name = "own";
  own.parameters.at(0).sweep.clear();
  own.parameters.at(0).range = {.expected = "in (0, 0.5]",
                                .contains = [](double k) { return k > 0 && k <= 0.5; }};
  for (const bool is_first : {false, true}) {
    SCOPED_TRACE(is_first);
    AttackTable with_own = table;
    with_own.insert(is_first ? with_own.begin() : with_own.end(), own);
    const auto selected = [&](const char* names, double k) {
      return select_attacks(with_own, names, {{"k", k}});
    };
    EXPECT_EQ(selected("own", 0.4).at(0).values(), (ParameterValues{{"k", 0.4}}));
    EXPECT_EQ(selected("min_k,own:k=0.3", 0.9).at(1).values(), (ParameterValues{{"k", 0.3}}));
    expect_contains(error_of([&] { selected("min_k,own", 0.9); }),
                    "the attack own: k is 0.9 (expected in (0, 0.5])");
    expect_contains(error_of([&] { selected("loss", 1.5); }), "k is 1.5");
  }
}

TEST(SelectAttacksTest, GradientNormsAreThoseThatTheAttacksRead) {
  EXPECT_EQ(gradient_norms_of(select("loss,gradnorm:p=inf,gradnorm,gradnorm:p=2")),
            (std::vector<std::string>{"inf", "2"}));
  EXPECT_TRUE(gradient_norms_of(select("loss,reference")).empty());
}

TEST(SelectAttacksTest, TheSameSettingTwiceIsOneAttack) {
  EXPECT_EQ(names_of("min_k:k=0.3,min_k:k=0.30"), std::vector<std::string>{"min_k:k=0.3"});
}

TEST(SelectAttacksTest, ASweepIsOneAttackPerValue) {
  const auto sweep = names_of("min_k_plus_plus:k=sweep");
  ASSERT_EQ(sweep.size(), 10U);
  EXPECT_EQ(sweep[0], "min_k_plus_plus:k=0.1");
  EXPECT_EQ(sweep[2], "min_k_plus_plus:k=0.3");
  EXPECT_EQ(sweep[9], "min_k_plus_plus:k=1");
  EXPECT_EQ(names_of("gradnorm:p=sweep"),
            (std::vector<std::string>{"gradnorm:p=1", "gradnorm:p=2", "gradnorm:p=inf"}));
  EXPECT_EQ(names_of("surp:entropy=3:k=sweep")[1], "surp:entropy=3:k=0.2");
  // A value that was asked for before is not repeated.
  EXPECT_EQ(names_of("min_k:k=0.5,min_k:k=sweep").size(), 10U);
}

TEST(SelectAttacksTest, RefusesWhatItCannotSet) {
  expect_contains(error_of([] { select("min_k:p=2"); }), "the attack min_k has no parameter 'p'");
  expect_contains(error_of([] { select("loss:k=0.2"); }), "(expected none)");
  expect_contains(error_of([] { select("surp:x=1"); }), "(expected k, entropy)");
  expect_contains(error_of([] { select("min_k:k"); }), "'k' does not set a number");
  expect_contains(error_of([] { select("min_k:k="); }), "does not set a number");
  expect_contains(error_of([] { select("min_k:k=0.3x"); }), "'k=0.3x'");
  expect_contains(error_of([] { select("min_k:k=0.3:k=0.4"); }), "'k' is set twice");
  expect_contains(error_of([] { select("surp:entropy=sweep"); }), "'entropy' has no sweep");
  expect_contains(error_of([] { select("min_k:k=2"); }), "k is 2");
  expect_contains(error_of([] { select("min_k:k=nan"); }), "k is nan");
  expect_contains(error_of([] { select("gradnorm:p=3"); }), "(expected a norm: 1, 2 or inf)");
  expect_contains(error_of([] { select("surp:k=0.5,entropy=1"); }), "surp:k=0.5:entropy=1");
}

TEST(SelectAttacksTest, RefusesValuesOutOfRange) {
  const auto common = [](const char* name, double value) {
    return error_of([&] { select_attacks(default_attack_table(), "loss", {{name, value}}); });
  };
  for (double k : {0.0, -0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    expect_contains(common("k", k), "k is");
    expect_contains(common("k", k), "greater than 0, at most 1");
    expect_contains(error_of([k] { select(fmt::format("surp:k={}", k)); }), "surp's k is");
  }
  for (double p : {0.0, 1.5, 3.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    expect_contains(common("p", p), "1, 2 or inf");
  }
  for (double entropy : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    expect_contains(error_of([&] { select(fmt::format("surp:entropy={}", entropy)); }), "nats");
  }
  EXPECT_NO_THROW(select_attacks(default_attack_table(), "loss",
                                 {{"k", 1}, {"p", std::numeric_limits<double>::infinity()}}));
  expect_contains(common("entropy", 1),
                  "'entropy' is not a parameter that can be set for all attacks");
}

}  // namespace
}  // namespace palimpsest::attack
