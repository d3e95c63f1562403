#include "palimpsest/attack/mia_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "palimpsest/attack/internal/mia/plain_answer.h"
#include "palimpsest/base/internal/table.h"
#include "tests/attack/score_sets.h"
#include "tests/support/expect_error.h"

namespace palimpsest::attack {
namespace {

MiaReport report_of(const std::string& model, double shift) {
  TraceScores forget = normal_set(1, 60, 0);
  TraceScores holdout = normal_set(2, 60, shift);
  forget.header.model = holdout.header.model = model;
  Random random(3);
  for (TraceScores* set : {&forget, &holdout}) {
    for (size_t i = 0; i < set->facts.size(); ++i) {
      set->facts[i].text = random_text(random, 10);
      set->facts[i].num_labels = static_cast<int64_t>(5 + i % 9);
      set->facts[i].groups["kind"] = i % 2 == 0 ? "even" : "odd \x1b[31m";
    }
    set->columns.push_back(set->columns[0]);
    set->lacking.push_back("");
  }
  const AttackTable attacks = select_attacks(default_attack_table(), "loss,zlib");
  TraceScores other = forget;
  for (ScoreColumn& column : other.columns) column = normal_set(9, 60, shift).columns[0];
  return mia(
      {.attacks = attacks, .forget = forget, .holdout = holdout, .baseline = {{other, holdout}}},
      {.clusters = {.independent = true}, .group_keys = {"kind"}});
}

constexpr MiaTextOptions kEverything = {
    .histograms = true, .compare = true, .groups = true, .decisions = true};

TEST(MiaTextTest, SaysWhatThereIsToSay) {
  const std::string text = mia_to_text(report_of("m", 1), kEverything);
  for (const char* part :
       {"60 forget and 60 holdout examples of m. Every example counts as independent.",
        "adjusted (97%)", "(texts alone)", "Single records: ", "Against the baseline model m",
        "Groups, under loss", "Pairs of attacks", "Thresholds chosen on 50%", "loss *", "Note: "}) {
    expect_contains(text, part);
  }
  const std::string plain = mia_to_text(report_of("m", 1));
  for (const char* part : {"Pairs of attacks", "Scores, from familiar"})
    EXPECT_EQ(plain.find(part), std::string::npos) << part;
  expect_contains(text, "Scores, from familiar");
}

TEST(MiaTextTest, TheAnswerComesFirst) {
  const MiaReport report = report_of("m", 1);
  EXPECT_TRUE(mia_to_text(report).starts_with(answer_to_text(report.answer, 100)));
}

TEST(MiaTextTest, FitsIntoAHundredColumns) {
  std::istringstream lines(mia_to_text(report_of(std::string(300, 'm'), 0.3), kEverything));
  std::string line;
  int64_t count = 0;
  while (std::getline(lines, line)) {
    EXPECT_LE(text_width(line), 100U) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
    ++count;
  }
  EXPECT_GT(count, 30);
}

TEST(MiaTextTest, AsciiMeansAscii) {
  MiaTextOptions options = kEverything;
  options.ascii = true;
  for (char c : mia_to_text(report_of("m", 1), options)) {
    EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << static_cast<int>(c);
  }
}

TEST(MiaTextTest, NamesCannotSteerTheTerminal) {
  const std::string text = mia_to_text(report_of("evil\x1b[2J\n\xc2\x9bmodel", 1), kEverything);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  expect_contains(text, "evil?[2J??model");
}

TEST(MiaTextTest, SmallSamplesSayWhatTheyCannotTell) {
  const AttackTable attacks = select_attacks(default_attack_table(), "loss");
  const TraceScores two = set_of({1, 2});
  std::string text =
      mia_to_text(mia({.attacks = attacks, .forget = two, .holdout = two}, {}), kEverything);
  std::replace(text.begin(), text.end(), '\n', ' ');
  EXPECT_TRUE(text.starts_with(
      "NOT DECIDED. These records cannot answer the question. - There are 2 forget and 2 holdout"));
  // More data of the same kind are asked for once.
  EXPECT_EQ(text.find("More holdout examples"), std::string::npos);
}

// The numbers of examples that would show more stand in one list, the smallest first.
TEST(MiaTextTest, WhatLargerSamplesShowIsOneList) {
  const MiaReport report = report_of("m", 0.1);
  const std::string text = mia_to_text(report);
  const size_t list = text.find("More holdout examples than these 60 would also show:\n");
  ASSERT_NE(list, std::string::npos) << text;
  const std::string below = text.substr(list);
  expect_contains(below, "- from 300 on, the TPR at 1% FPR\n");
  expect_contains(below, "- from 599 on, whether one record alone stands out\n");
  expect_contains(below, "- from 3000 on, the TPR at 0.1% FPR\n");
  EXPECT_LT(below.find("from 300 on"), below.find("from 599 on"));
  EXPECT_LT(below.find("from 599 on"), below.find("from 3000 on"));
  EXPECT_EQ(text.find("is n/a: it needs at least"), std::string::npos);
  EXPECT_TRUE(std::ranges::any_of(report.notes, [](const std::string& note) {
    return note.starts_with("TPR at 1% FPR is n/a: it needs at least 300");
  }));
}

}  // namespace
}  // namespace palimpsest::attack
