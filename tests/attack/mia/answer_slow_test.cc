// The answer where the truth is known. Seeds are fixed; what is tolerated is what chance explains
// at a level of 1% over all cases (19 in all, so 0.05% each).
#include <gtest/gtest.h>

#include "tests/attack/mia/answer_calibration.h"

namespace palimpsest::attack {
namespace {

constexpr int64_t kAudits = 4000;
constexpr int64_t kCases = 19;

TEST(AnswerSlowTest, FalseAlarmsOfTheHeadlineAreAtMostFivePercent) {
  for (const HeadlineCase& setting : innocent_cases()) {
    const HeadlineRates rates = simulate_headline(setting, kAudits);
    EXPECT_LE(rates.alarms(), tolerated(kAudits, 0.05, kCases)) << setting.name;
  }
}

TEST(AnswerSlowTest, AModelOnTheMarginIsClearedInAtMostFivePercent) {
  for (const HeadlineCase& setting : marginal_cases()) {
    const HeadlineRates rates = simulate_headline(setting, kAudits);
    EXPECT_LE(rates.equivalent + rates.within_margin, tolerated(kAudits, 0.05, kCases))
        << setting.name;
  }
}

TEST(AnswerSlowTest, WhatIsRememberedIsFound) {
  constexpr int64_t kFewerAudits = kAudits / 4;
  for (const HeadlineCase& setting : guilty_cases()) {
    const HeadlineRates rates = simulate_headline(setting, kFewerAudits);
    EXPECT_GE(static_cast<double>(rates.remembered), setting.found * kFewerAudits) << setting.name;
  }
}

TEST(AnswerSlowTest, AuthorsWhomTheModelNeverSawRaiseNoAlarm) {
  const ScoredAuthors scored = score_authors(made_up_authors(180, 20), 60);
  constexpr int64_t kSplits = 2000;
  EXPECT_LE(audit_splits(scored, 20, kSplits).alarms(), tolerated(kSplits, 0.05, kCases));
}

}  // namespace
}  // namespace palimpsest::attack
