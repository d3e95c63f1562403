#include "palimpsest/attack/mia_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "palimpsest/base/table.h"
#include "tests/attack/score_sets.h"
#include "tests/support/expect_error.h"

namespace palimpsest {
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
  return mia(
      {.attacks = attacks, .forget = forget, .holdout = holdout, .baseline = {{forget, holdout}}},
      {.group_keys = {"kind"}});
}

constexpr MiaTextOptions kEverything = {.compare = true, .groups = true, .decisions = true};

TEST(MiaTextTest, SaysWhatThereIsToSay) {
  const std::string text = mia_to_text(report_of("m", 1), kEverything);
  for (const char* part :
       {"60 forget and 60 holdout examples of m; intervals at 95%", "telling 0.55 takes 522 + 522",
        "still remembered", "(texts alone)", "What to do:\n- ",
        "Single records: ", "Against the baseline model m", "Groups, under loss",
        "Pairs of attacks", "Thresholds chosen on 50%", "loss *", "Note: "}) {
    expect_contains(text, part);
  }
  EXPECT_EQ(mia_to_text(report_of("m", 1)).find("Pairs of attacks"), std::string::npos);
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
  expect_contains(text, "These sizes cannot even tell an AUC of 1 from 0.5;");
  expect_contains(text, "One record alone could stand out only with 19 holdout examples.");
}

TEST(WrappedTest, BreaksBetweenWords) {
  EXPECT_EQ(wrapped("one two three", 7, 2), "one two\n  three\n");
  EXPECT_EQ(wrapped("a longlonglong word", 5, 1), "a\n long\n long\n long\n word\n");
  EXPECT_EQ(wrapped("ää öö", 5, 0), "ää öö\n");
  EXPECT_EQ(wrapped("", 5, 0), "");
}

}  // namespace
}  // namespace palimpsest
