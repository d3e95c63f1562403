#include "palimpsest/attack/mia/red_flags.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/expect_error.h"

namespace palimpsest::attack {
namespace {

std::vector<std::string> titles(const RedFlagFacts& facts) {
  std::vector<std::string> names;
  for (const RedFlag& flag : red_flags(facts)) names.push_back(flag.title);
  return names;
}

using Titles = std::vector<std::string>;

TEST(RedFlagsTest, WhatIsNotKnownRaisesNothing) {
  EXPECT_EQ(titles({}), Titles{});
  EXPECT_EQ(titles({.auc = 0.95}), Titles{});
  EXPECT_EQ(titles({.auc = 0.5}), Titles{});
  EXPECT_EQ(titles({.forget_accuracy = 0.1, .retain_accuracy = 0.1}), Titles{});
}

TEST(RedFlagsTest, AnAucAboveFourFifthsOfAModelThatCannotAnswerIsACollapse) {
  EXPECT_EQ(titles({.auc = 0.81, .forget_accuracy = 0.29}), Titles{"Possible collapse"});
  EXPECT_EQ(titles({.auc = 0.8, .forget_accuracy = 0.29}), Titles{});
  EXPECT_EQ(titles({.auc = 0.81, .forget_accuracy = 0.3}), Titles{});
}

TEST(RedFlagsTest, AnAucNearHalfWithLittleRetainedIsOverUnlearning) {
  for (double auc : {0.45, 0.5, 0.55}) {
    EXPECT_EQ(titles({.auc = auc, .retain_accuracy = 0.29}), Titles{"Over-unlearning"}) << auc;
    EXPECT_EQ(titles({.auc = auc, .retain_accuracy = 0.3}), Titles{}) << auc;
  }
  EXPECT_EQ(titles({.auc = 0.551, .retain_accuracy = 0.1}), Titles{});
  EXPECT_EQ(titles({.auc = 0.449, .retain_accuracy = 0.1}), Titles{});
}

TEST(RedFlagsTest, AnAucNearHalfWithAnswersKeptIsSuperficial) {
  EXPECT_EQ(titles({.auc = 0.52, .forget_accuracy = 0.71}), Titles{"Superficial unlearning"});
  EXPECT_EQ(titles({.auc = 0.52, .forget_accuracy = 0.7}), Titles{});
  EXPECT_EQ(titles({.auc = 0.6, .forget_accuracy = 0.9}), Titles{});
}

TEST(RedFlagsTest, AnAnswerGoesBeforeTheAuc) {
  using enum AnswerVerdict;
  const auto with = [](AnswerVerdict verdict, double auc, double accuracy) {
    return titles({.verdict = verdict, .auc = auc, .forget_accuracy = accuracy});
  };
  EXPECT_EQ(with(kRemembered, 0.9, 0.1), Titles{"Possible collapse"});
  EXPECT_EQ(with(kNotDecided, 0.9, 0.1), Titles{});
  EXPECT_EQ(with(kVoid, 0.9, 0.1), Titles{});
  for (AnswerVerdict verdict : {kEquivalent, kDetectableWithinMargin, kNotDecided})
    EXPECT_EQ(with(verdict, 0.52, 0.9), Titles{"Superficial unlearning"});
  for (AnswerVerdict verdict : {kRemembered, kOverForgotten, kVoid})
    EXPECT_EQ(with(verdict, 0.52, 0.9), Titles{});
}

TEST(RedFlagsTest, TextsThatDifferComeWithTheirNumbersAndWords) {
  const auto flags = red_flags({.separating_texts = SeparatingTexts{
                                    .auc = 0.734,
                                    .p_value = 0.005,
                                    .null_range = stat::Interval{0.35, 0.65},
                                    .informative = {"'was born' (forget)", "'city' (holdout)"}}});
  ASSERT_EQ(flags.size(), 1U);
  EXPECT_FALSE(flags[0].is_caution);
  expect_contains(flags[0].text,
                  "(AUC 0.734, p = 0.005; 0.350 … 0.650 if the labels are permuted)");
  expect_contains(flags[0].text, "'was born' (forget), 'city' (holdout).");
}

TEST(RedFlagsTest, ASmallSampleSaysHowManyItTakes) {
  const auto flags = red_flags({.holdout = 120, .unresolved_fprs = {0.001, 0.0005}});
  ASSERT_EQ(flags.size(), 1U);
  EXPECT_TRUE(flags[0].is_caution);
  expect_contains(flags[0].text, "120 holdout examples");
  expect_contains(flags[0].text, "0.05%");
  expect_contains(flags[0].text, "at least 6000");
}

TEST(RedFlagsTest, SeveralFlagsKeepTheirOrder) {
  EXPECT_EQ(titles({.auc = 0.5,
                    .forget_accuracy = 0.9,
                    .retain_accuracy = 0.1,
                    .separating_texts = SeparatingTexts{.auc = 0.9},
                    .holdout = 1,
                    .unresolved_fprs = {0.01}}),
            (Titles{"Over-unlearning", "Superficial unlearning",
                    "The sets differ without any model", "Too few holdout examples"}));
}

TEST(RedFlagsTest, FilesKeepThem) {
  const auto flags =
      red_flags({.auc = 0.9, .forget_accuracy = 0.1, .holdout = 120, .unresolved_fprs = {0.001}});
  ASSERT_EQ(flags.size(), 2U);
  EXPECT_EQ(flags[0].code, "collapse");
  EXPECT_EQ(flags_from_json(flags_to_json(flags), "file"), flags);
  EXPECT_TRUE(flags_from_json("null", "file").empty());
  EXPECT_EQ(flags_to_json({}), "[]\n");
}

TEST(RedFlagsTest, ATerminalShowsThem) {
  const auto flags =
      red_flags({.auc = 0.9, .forget_accuracy = 0.1, .holdout = 120, .unresolved_fprs = {0.001}});
  const std::string text = flags_to_text(flags, 80);
  expect_contains(text, "RED FLAG: Possible collapse. The model answers only a share of 0.10");
  EXPECT_EQ(text.find("Too few"), std::string::npos);
  EXPECT_EQ(flags_to_text({}, 80), "");
}

TEST(RedFlagsTest, AccuraciesAreThoseOfTheFirstBenchmarkThatIsKnown) {
  std::map<std::string, std::optional<double>> metrics = {{"forget_knowmem_ROUGE", 0.2},
                                                          {"retain_knowmem_ROUGE", 0.8}};
  const auto facts_of = [&] {
    RedFlagFacts facts;
    set_accuracies(
        [&](const std::string& metric) {
          const auto found = metrics.find(metric);
          return found == metrics.end() ? nullptr : &found->second;
        },
        facts);
    return facts;
  };
  EXPECT_EQ(facts_of().forget_accuracy, 0.2);
  EXPECT_EQ(facts_of().retain_accuracy, 0.8);
  metrics["forget_Q_A_ROUGE"] = 0.5;
  metrics["retain_Q_A_ROUGE"] = std::nullopt;  // it was measured, and is undefined
  EXPECT_EQ(facts_of().forget_accuracy, 0.5);
  EXPECT_EQ(facts_of().retain_accuracy, std::nullopt);
}

TEST(RedFlagsTest, TextsSeparateBeyondTheMargin) {
  EXPECT_FALSE(separating_texts(std::nullopt, 0.05));
  BlindBaseline blind{.auc = 0.58, .p_value = 0.01};
  blind.informative = {{.name = "born", .side = "forget"}};
  const std::optional<SeparatingTexts> texts = separating_texts(blind, 0.05);
  ASSERT_TRUE(texts);
  EXPECT_EQ(texts->auc, 0.58);
  EXPECT_EQ(texts->informative, std::vector<std::string>{"'born' (forget)"});
  EXPECT_FALSE(separating_texts(blind, 0.1));
}

}  // namespace
}  // namespace palimpsest::attack
