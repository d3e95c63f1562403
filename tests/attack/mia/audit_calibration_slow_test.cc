// What an audit says beside its answer, where the truth is known. Seeds are fixed; limits are those
// of the design, and where a rate may stand exactly at its limit, what chance explains beside.
#include <gtest/gtest.h>

#include "palimpsest/attack/internal/mia/dependence.h"
#include "tests/attack/mia/audit_calibration.h"

namespace palimpsest::attack {
namespace {

constexpr int64_t kSetAudits = 2000;

ScoredAuthors scored_authors() {
  return score_authors(made_up_authors(180, 20), 60);
}

TEST(DependenceSlowTest, AuthorsInFileOrderAreSuspected) {
  EXPECT_GE(suspected_dependence(scored_authors(), 20, kSetAudits, FileOrder::kByAuthor),
            0.9 * kSetAudits);
}

// The tests are exact at 3%, so that 5% of 2,000 lie five standard deviations above what is
// expected.
TEST(DependenceSlowTest, ShuffledAndIndependentSetsAreNot) {
  const ScoredAuthors authors = scored_authors();
  EXPECT_LE(suspected_dependence(authors, 20, kSetAudits, FileOrder::kShuffled), 0.05 * kSetAudits);
  EXPECT_LE(
      suspected_dependence(one_text_per_author(authors), 60, kSetAudits, FileOrder::kByAuthor),
      tolerated(kSetAudits, kDependenceLevel, 1));
}

TEST(BlindBaselineSlowTest, AnotherSourceIsNoticed) {
  constexpr int64_t kSources = 200;
  EXPECT_GE(noticed_sources(made_up_authors(180, 20), made_up_towns(60, 20), 20, 20, kSources),
            0.95 * kSources);
}

TEST(BlindBaselineSlowTest, AuthorsOfOneSourceAreNot) {
  constexpr int64_t kSplits = 200;
  EXPECT_LE(blind_alarms(made_up_authors(180, 20), 20, kSplits), 16);
}

TEST(DecisionSlowTest, IntervalsOfRatesCover) {
  constexpr int64_t kDecisions = 4000;
  for (const DecisionCase& setting : decision_cases()) {
    const DecisionCoverage coverage = decision_coverage(setting, kDecisions);
    EXPECT_GE(coverage.tpr, 0.93) << setting.name;
    EXPECT_GE(coverage.fpr, 0.93) << setting.name;
  }
}

}  // namespace
}  // namespace palimpsest::attack
