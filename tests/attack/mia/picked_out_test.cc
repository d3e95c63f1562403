#include "palimpsest/attack/internal/mia/picked_out.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/attack/internal/mia/decision.h"
#include "palimpsest/stat/binomial.h"
#include "tests/attack/mia/audit_scores.h"
#include "tests/attack/score_sets.h"
#include "tests/support/expect_error.h"

namespace palimpsest::attack {
namespace {

ScoreColumn repeated(double value, size_t count) {
  return ScoreColumn(count, value);
}

ExampleClusters each_its_own(size_t forget, size_t holdout) {
  ExampleClusters clusters;
  for (size_t i = 0; i < forget; ++i) clusters.forget.push_back(static_cast<int64_t>(i));
  for (size_t i = 0; i < holdout; ++i) clusters.holdout.push_back(static_cast<int64_t>(forget + i));
  return clusters;
}

TEST(PickedOutTest, SeparatedSetsArePickedOutWhole) {
  const ScoreColumn forget = repeated(1, 20);
  const ScoreColumn holdout = repeated(3, 40);
  const std::vector<FamilyMember> members = {{.attack = "loss", .scores = {forget, holdout}}};
  const auto picked = pick_out(members, each_its_own(20, 40), {});
  ASSERT_TRUE(picked);
  EXPECT_EQ(picked->attack, "loss");
  EXPECT_EQ(picked->threshold, 1);
  EXPECT_EQ(picked->tpr, 1);
  EXPECT_EQ(picked->fpr, 0);
  EXPECT_EQ(picked->excess, 1);
  EXPECT_EQ(picked->forget, 10);
  EXPECT_EQ(picked->holdout, 20);
  ASSERT_TRUE(picked->interval);
  // Newcombe's interval from the exact ones of 10 of 10 and 0 of 20.
  const stat::Interval tpr = stat::clopper_pearson(10, 10, 0.95);
  const stat::Interval fpr = stat::clopper_pearson(0, 20, 0.95);
  EXPECT_NEAR(picked->interval->low, 1 - std::hypot(1 - tpr.low, fpr.high), 1e-12);
  EXPECT_EQ(picked->interval->high, 1);

  // The least familiar ones are all of the holdout set: nothing is gained by picking them.
  const auto reversed = pick_out(members, each_its_own(20, 40), {.reversed = true});
  ASSERT_TRUE(reversed);
  EXPECT_TRUE(reversed->reversed);
  EXPECT_EQ(reversed->excess, 0);
}

TEST(PickedOutTest, OverForgottenRecordsArePickedByTheirUnfamiliarity) {
  const ScoreColumn forget = repeated(9, 20);
  const ScoreColumn holdout = repeated(3, 20);
  const std::vector<FamilyMember> members = {{.attack = "loss", .scores = {forget, holdout}}};
  const auto picked = pick_out(members, each_its_own(20, 20), {.reversed = true});
  ASSERT_TRUE(picked);
  EXPECT_EQ(picked->excess, 1);
  EXPECT_EQ(picked->threshold, 9);
}

TEST(PickedOutTest, WithEqualSetsTheThresholdIsThatOfTheDecision) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const AuditScores audit = draw_audit({.shift = 1, .attacks = 1}, Random(seed));
    const auto picked = pick_out(audit.members(), audit.clusters, {.seed = seed});
    const auto decision =
        decide({audit.forget[0], audit.holdout[0]}, audit.clusters, {.seed = seed});
    ASSERT_TRUE(picked && decision);
    EXPECT_EQ(picked->threshold, decision->score_at_most) << seed;
    EXPECT_EQ(picked->excess, decision->tpr - decision->fpr) << seed;
    EXPECT_TRUE(picked->interval->contains(picked->excess));
  }
}

TEST(PickedOutTest, ManyHoldoutRecordsDoNotSilenceTheObserver) {
  // Where wrong decisions are counted, calling nobody a member is cheapest among 20 times as many
  // holdout records. What an observer could do does not depend on how many were collected.
  const AuditScores audit = draw_audit(
      {.forget_authors = 10, .holdout_authors = 200, .shift = 1, .attacks = 1}, Random(3));
  const auto picked = pick_out(audit.members(), audit.clusters, {});
  ASSERT_TRUE(picked);
  EXPECT_GT(picked->excess, 0.2);
}

TEST(PickedOutTest, AttackAndThresholdAreChosenOnOtherRecords) {
  const ScoreColumn low = repeated(1, 20);
  const ScoreColumn high = repeated(3, 20);
  const std::vector<FamilyMember> members = {
      {.attack = "blind", .scores = {high, high}},
      {.attack = "sharp", .scores = {low, high}},
      {.attack = "excluded", .scores = {low, high}, .in_family = false}};
  const auto picked = pick_out(members, each_its_own(20, 20), {});
  ASSERT_TRUE(picked);
  EXPECT_EQ(picked->attack, "sharp");
  // On average nothing is gained from a model that remembers nothing, although three attacks and
  // all thresholds were tried.
  double mean = 0;
  constexpr int kRuns = 500;
  for (uint64_t run = 0; run < kRuns; ++run) {
    const AuditScores audit = draw_audit({.shift = 0}, Random(run));
    mean += pick_out(audit.members(), audit.clusters, {.seed = run})->excess / kRuns;
  }
  EXPECT_NEAR(mean, 0, 0.015);
}

TEST(PickedOutTest, ABaselineIsSubtracted) {
  const ScoreColumn low = repeated(1, 20);
  const ScoreColumn high = repeated(3, 20);
  // The baseline tells half of them apart as well.
  ScoreColumn half = high;
  for (size_t i = 0; i < 20; i += 2) half[i] = 1;
  const std::vector<FamilyMember> members = {
      {.attack = "loss", .scores = {low, high}, .baseline = ScoreColumns{half, high}}};
  const auto picked = pick_out(members, each_its_own(20, 20), {.against_baseline = true});
  ASSERT_TRUE(picked);
  ASSERT_TRUE(picked->baseline_excess);
  EXPECT_EQ(picked->tpr - picked->fpr, 1);
  EXPECT_DOUBLE_EQ(picked->excess, 1 - *picked->baseline_excess);
  EXPECT_GT(*picked->baseline_excess, 0.1);
  ASSERT_TRUE(picked->interval);
  EXPECT_TRUE(picked->interval->contains(picked->excess));
  // Two models with the same scores differ in nothing.
  const std::vector<FamilyMember> same = {
      {.attack = "loss", .scores = {low, high}, .baseline = ScoreColumns{low, high}}};
  const auto none = pick_out(same, each_its_own(20, 20), {.against_baseline = true});
  ASSERT_TRUE(none);
  EXPECT_EQ(none->excess, 0);
  ASSERT_TRUE(none->interval);
  EXPECT_TRUE(none->interval->contains(0));
}

TEST(PickedOutTest, TooFewExamplesGiveNone) {
  const ScoreColumn one = repeated(1, 1);
  const std::vector<FamilyMember> members = {{.attack = "loss", .scores = {one, one}}};
  EXPECT_FALSE(pick_out(members, each_its_own(1, 1), {}));
  EXPECT_FALSE(pick_out({}, each_its_own(5, 5), {}));
}

TEST(PickedOutTest, RefusesOptionsOutOfRange) {
  const ScoreColumn some = repeated(1, 4);
  const std::vector<FamilyMember> members = {{.attack = "loss", .scores = {some, some}}};
  expect_contains(error_of([&] { pick_out(members, each_its_own(4, 4), {.validation_split = 0}); }),
                  "split");
  expect_contains(error_of([&] { pick_out(members, each_its_own(4, 4), {.confidence = 1}); }),
                  "confidence");
}

}  // namespace
}  // namespace palimpsest::attack
