#include "palimpsest/stat/one_run_audit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/error.h"

namespace palimpsest::stat {
namespace {

TEST(OneRunAuditTest, AllGuessesRightInClosedForm) {
  // delta 0, v = r: p = q^r, so q = alpha^(1/r) and epsilon = log(q/(1-q)).
  const double q = std::pow(0.05, 1.0 / 100);
  EXPECT_NEAR(one_run_epsilon({.canaries = 200, .guesses = 100, .right = 100}, {.alpha = 0.05}),
              std::log(q / (1 - q)), 1e-10);
}

TEST(OneRunAuditTest, GuessingShowsNothing) {
  EXPECT_EQ(one_run_epsilon({.canaries = 100, .guesses = 100, .right = 50}, {}), 0);
  EXPECT_EQ(one_run_epsilon({.canaries = 100, .guesses = 0, .right = 0}, {}), 0);
}

TEST(OneRunAuditTest, DeltaLowersTheBound) {
  const OneRunCounts counts{.canaries = 1000, .guesses = 1000, .right = 700};
  const double pure = one_run_epsilon(counts, {.alpha = 0.05});
  const double approximate = one_run_epsilon(counts, {.alpha = 0.05, .delta = 1e-5});
  EXPECT_GT(pure, 0.7);
  EXPECT_LT(approximate, pure);
  EXPECT_GT(approximate, 0);
}

TEST(OneRunAuditTest, PValueGrowsWithEpsilon) {
  const OneRunCounts counts{.canaries = 1000, .guesses = 800, .right = 600};
  double last = 0;
  for (int tenths = 0; tenths < 30; ++tenths) {
    const double p = one_run_p_value(counts, tenths / 10.0, 1e-5);
    EXPECT_GE(p, last);
    EXPECT_LE(p, 1);
    last = p;
  }
}

TEST(OneRunGaussianAuditTest, GuessingShowsNothingAndRightGuessesDo) {
  const AuditOptions options{.delta = 1e-5};
  EXPECT_EQ(one_run_gaussian_audit({.canaries = 100, .guesses = 100, .right = 50}, options).mu, 0);
  EXPECT_EQ(one_run_gaussian_audit({.canaries = 100, .guesses = 0, .right = 0}, options).epsilon,
            0);
  EXPECT_GT(one_run_gaussian_audit({.canaries = 100, .guesses = 100, .right = 90}, options).mu,
            0.5);
  EXPECT_THROW(one_run_gaussian_audit({.canaries = 1, .guesses = 2, .right = 0}, options), Error);
}

// 10 of 200 canaries are plainly recognised, the others are guesses: only who abstains sees it.
TEST(OneRunAbstainingTest, GuessesOnlyWhereItIsSure) {
  LabelledScores canaries;
  for (int i = 0; i < 100; ++i) {
    canaries.positives.push_back(i < 10 ? 1000 + i : 2 * i);
    canaries.negatives.push_back(i < 10 ? -1000 - i : 2 * i + 1);
  }
  const AbstainingAudit audit = one_run_epsilon_abstaining(canaries);
  EXPECT_EQ(audit.share, 0.1);
  EXPECT_EQ(audit.counts.canaries, 200);
  EXPECT_EQ(audit.counts.guesses, 20);
  EXPECT_EQ(audit.counts.right, 20);
  // The correction for five shares.
  EXPECT_EQ(audit.epsilon, one_run_epsilon(audit.counts, {.alpha = 0.05 / 5}));
  const AbstainingAudit all = one_run_epsilon_abstaining(canaries, {.audit = {}, .shares = {1}});
  EXPECT_GT(audit.epsilon, 2 * all.epsilon);
}

TEST(OneRunAbstainingTest, TiesNeverHelp) {
  const LabelledScores equal{std::vector<double>(30, 1.0), std::vector<double>(30, 1.0)};
  const AbstainingAudit audit =
      one_run_epsilon_abstaining(equal, {.audit = {}, .shares = {0.5, 1}});
  EXPECT_EQ(audit.epsilon, 0);
  EXPECT_EQ(audit.counts.right, 0);
  // Of a tie at the cut the wrong ones are taken: one in and one out above it are right.
  const LabelledScores tied{{3, 2, 2}, {2, 2, 1}};
  const AbstainingAudit most = one_run_epsilon_abstaining(tied, {.audit = {}, .shares = {0.67}});
  EXPECT_EQ(most.counts.guesses, 4);
  EXPECT_EQ(most.counts.right, 2);
}

TEST(OneRunAbstainingTest, RefusesWhatIsOutOfRange) {
  EXPECT_THROW(one_run_epsilon_abstaining({}), Error);
  const LabelledScores canaries{{1}, {0}};
  EXPECT_THROW(one_run_epsilon_abstaining(canaries, {.audit = {}, .shares = {}}), Error);
  EXPECT_THROW(one_run_epsilon_abstaining(canaries, {.audit = {}, .shares = {0}}), Error);
  EXPECT_THROW(one_run_epsilon_abstaining(canaries, {.audit = {}, .shares = {1.1}}), Error);
}

TEST(OneRunAuditTest, RefusesImpossibleCounts) {
  EXPECT_THROW(one_run_epsilon({.canaries = 10, .guesses = 11, .right = 1}, {}), Error);
  EXPECT_THROW(one_run_epsilon({.canaries = 10, .guesses = 5, .right = 6}, {}), Error);
  EXPECT_THROW(one_run_epsilon({.canaries = 10, .guesses = 5, .right = -1}, {}), Error);
}

}  // namespace
}  // namespace palimpsest::stat
