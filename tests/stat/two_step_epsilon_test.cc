#include "palimpsest/stat/two_step_epsilon.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"
#include "palimpsest/stat/binomial.h"

namespace palimpsest::stat {
namespace {

AttackScores random_attack(uint64_t seed, int64_t count, double shift) {
  Random random(seed);
  AttackScores attack;
  for (int64_t i = 0; i < count; ++i) {
    attack.labels.push_back(static_cast<int>(i % 2));
    attack.scores.push_back(random.normal() + (i % 2 == 1 ? shift : 0));
  }
  return attack;
}

TEST(TwoStepEpsilonTest, ChoosesTheStrongAttack) {
  const AttackScores attacks[] = {random_attack(1, 2000, 0), random_attack(2, 2000, 2)};
  for (auto heuristic : {EpsilonHeuristic::kClopperPearson, EpsilonHeuristic::kRatio}) {
    const auto result = two_step_epsilon(attacks, {.heuristic = heuristic});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->attack, 1);
    ASSERT_EQ(result->bounds.size(), 3U);
    EXPECT_GT(result->bounds[0].epsilon.low, 0.3);
  }
}

TEST(TwoStepEpsilonTest, HigherConfidenceGivesWiderBounds) {
  const AttackScores attacks[] = {random_attack(3, 1000, 1.5)};
  const auto result = two_step_epsilon(attacks, {});
  ASSERT_TRUE(result);
  for (size_t i = 1; i < result->bounds.size(); ++i) {
    EXPECT_LE(result->bounds[i].epsilon.low, result->bounds[i - 1].epsilon.low);
    EXPECT_GE(result->bounds[i].epsilon.high, result->bounds[i - 1].epsilon.high);
  }
}

// The bounds of step 2, by hand: the choice falls on the only usable validation threshold.
TEST(TwoStepEpsilonTest, BoundsComeFromTheRestAlone) {
  AttackScores attack;
  auto add = [&](int label, double score, int times) {
    for (int i = 0; i < times; ++i) {
      attack.labels.push_back(label);
      attack.scores.push_back(score);
    }
  };
  add(1, 1, 50);  // the validation part: perfectly separated
  add(0, 0, 50);
  add(1, 1, 30);  // the rest: 30 of 40 against 10 of 40
  add(1, 0, 10);
  add(0, 1, 10);
  add(0, 0, 30);
  const auto result = two_step_epsilon(std::span(&attack, 1), {.validation_split = 100.0 / 180,
                                                               .confidence_levels = {0.9},
                                                               .split = ValidationSplit::kPrefix});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->threshold, 0);
  EXPECT_EQ(result->side, EpsilonSide::kNegatives);
  const double low =
      std::log(clopper_pearson_lower(30, 40, 0.025) / clopper_pearson_upper(10, 40, 0.025));
  EXPECT_DOUBLE_EQ(result->bounds[0].epsilon.low, low);
}

TEST(TwoStepEpsilonTest, RatioPrefersManyHitsWithoutAnyMiss) {
  AttackScores attack;
  for (int i = 0; i < 400; ++i) {
    attack.labels.push_back(i < 200 ? 1 : 0);
    // Half of the positives stand above all negatives.
    attack.scores.push_back(i < 100 ? 1000 + i : i);
  }
  const auto result = two_step_epsilon(
      std::span(&attack, 1), {.validation_split = 0.5, .heuristic = EpsilonHeuristic::kRatio});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->side, EpsilonSide::kPositives);
  EXPECT_GE(result->threshold, 400);
  EXPECT_EQ(result->bounds[0].epsilon.high, INFINITY);
}

TEST(TwoStepEpsilonTest, TheSameSeedGivesTheSameResult) {
  const AttackScores attacks[] = {random_attack(3, 300, 1), random_attack(4, 300, 1)};
  const auto a = two_step_epsilon(attacks, {.seed = 5});
  const auto b = two_step_epsilon(attacks, {.seed = 5});
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->threshold, b->threshold);
  EXPECT_EQ(a->bounds[0].epsilon, b->bounds[0].epsilon);
}

TEST(TwoStepEpsilonTest, IsUndefinedWithoutBothClassesInBothParts) {
  const AttackScores one_class{.labels = {1, 1, 1, 1}, .scores = {1, 2, 3, 4}};
  EXPECT_FALSE(two_step_epsilon(std::span(&one_class, 1), {}));
  const AttackScores sorted{.labels = {1, 1, 0, 0}, .scores = {1, 2, 3, 4}};
  EXPECT_FALSE(two_step_epsilon(std::span(&sorted, 1),
                                {.validation_split = 0.5, .split = ValidationSplit::kPrefix}));
  EXPECT_TRUE(two_step_epsilon(std::span(&sorted, 1), {.validation_split = 0.5}));
  EXPECT_FALSE(two_step_epsilon({}, {}));
}

TEST(TwoStepEpsilonTest, RefusesBadInput) {
  const AttackScores good = random_attack(1, 20, 0);
  EXPECT_THROW(two_step_epsilon(std::span(&good, 1), {.validation_split = 0}), Error);
  EXPECT_THROW(two_step_epsilon(std::span(&good, 1), {.validation_split = 1}), Error);
  EXPECT_THROW(two_step_epsilon(std::span(&good, 1), {.confidence_levels = {1.5}}), Error);
  AttackScores bad = good;
  bad.scores[3] = std::nan("");
  EXPECT_THROW(two_step_epsilon(std::span(&bad, 1), {}), Error);
  bad = good;
  bad.labels.pop_back();
  EXPECT_THROW(two_step_epsilon(std::span(&bad, 1), {}), Error);
}

TEST(TwoStepEpsilonTest, CountsAreThoseOfTheRestAtTheThreshold) {
  const AttackScores attacks[] = {random_attack(4, 1000, 2)};
  const TwoStepOptions options{.validation_split = 0.3};
  const auto result = two_step_epsilon(attacks, options);
  ASSERT_TRUE(result);
  const ValidationParts parts = split_for_validation(attacks[0], options);
  EXPECT_EQ(parts.validation.positive_count(), 150);
  EXPECT_EQ(parts.rest.negative_count(), 350);
  Confusion expected = confusion_at(parts.rest, result->threshold);
  if (result->side == EpsilonSide::kNegatives) {
    expected = confusion_at(parts.rest, std::nextafter(result->threshold, 1e9));
  }
  EXPECT_EQ(result->counts, expected);
}

TEST(TwoStepEpsilonTest, DeltaLowersTheBoundsAndNotTheChoice) {
  const AttackScores attack = random_attack(4, 400, 2);
  const auto pure = two_step_epsilon({&attack, 1}, {});
  const auto relaxed = two_step_epsilon({&attack, 1}, {.delta = 0.1});
  ASSERT_TRUE(pure && relaxed);
  EXPECT_EQ(pure->threshold, relaxed->threshold);
  for (size_t i = 0; i < pure->bounds.size(); ++i) {
    EXPECT_EQ(pure->bounds[i].at_delta, pure->bounds[i].epsilon);
    EXPECT_EQ(relaxed->bounds[i].epsilon, pure->bounds[i].epsilon);
    EXPECT_LT(relaxed->bounds[i].at_delta.low, pure->bounds[i].epsilon.low);
    EXPECT_LT(relaxed->bounds[i].at_delta.high, pure->bounds[i].epsilon.high);
  }
  const auto everything = two_step_epsilon({&attack, 1}, {.delta = 0.999});
  for (const EpsilonAtConfidence& bounds : everything->bounds) EXPECT_EQ(bounds.at_delta.low, 0);
  EXPECT_THROW(two_step_epsilon({&attack, 1}, {.delta = 1}), Error);
}

}  // namespace
}  // namespace palimpsest::stat
