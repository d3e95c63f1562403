#include "palimpsest/attack/mia_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "palimpsest/base/table.h"
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

constexpr MiaTextOptions kEverything = {.compare = true, .groups = true, .decisions = true};

TEST(MiaTextTest, SaysWhatThereIsToSay) {
  const std::string text = mia_to_text(report_of("m", 1), kEverything);
  for (const char* part :
       {"60 forget and 60 holdout examples of m. Every example counts as independent.",
        "adjusted (97%)", "(texts alone)", "Single records: ", "Against the baseline model m",
        "Groups, under loss", "Pairs of attacks", "Thresholds chosen on 50%", "loss *", "Note: "}) {
    expect_contains(text, part);
  }
  EXPECT_EQ(mia_to_text(report_of("m", 1)).find("Pairs of attacks"), std::string::npos);
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
  EXPECT_TRUE(text.starts_with("NOT DECIDED. Not decided. There are 2 forget and 2 holdout"));
  expect_contains(text, "One record alone could stand out only with 19 holdout examples.");
}

}  // namespace
}  // namespace palimpsest::attack
