#include "palimpsest/attack/internal/mia/score_dependence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/base/random.h"

namespace palimpsest::attack {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

RankedUnits one_attack(const ScoreColumn& scores) {
  std::vector<int64_t> unit_of(scores.size());
  std::iota(unit_of.begin(), unit_of.end(), 0);
  const std::vector<std::span<const std::optional<double>>> columns = {scores};
  return rank_units(columns, unit_of);
}

ScoreColumn normal_column(uint64_t seed, int64_t count) {
  Random random(seed);
  ScoreColumn scores;
  for (int64_t i = 0; i < count; ++i) scores.push_back(random.normal());
  return scores;
}

TEST(RankUnitsTest, StandardisesMidranks) {
  // Midranks 0, 1.5, 1.5, 3 less 1.5, over the root of their mean square 9/8; undefined: 0.
  const RankedUnits set = one_attack({7, 9, std::nullopt, 9, 100});
  ASSERT_EQ(set.units, 5);
  const double high = 1.5 / std::sqrt(9.0 / 8);
  EXPECT_NEAR(set.at(0, 0), -high, 1e-12);
  EXPECT_EQ(set.at(1, 0), 0);
  EXPECT_EQ(set.at(2, 0), 0);
  EXPECT_EQ(set.at(3, 0), 0);
  EXPECT_NEAR(set.at(4, 0), high, 1e-12);
}

TEST(RankUnitsTest, AlternativesAreOneUnit) {
  const ScoreColumn scores = {1, 8, 2, 3, 4};
  const std::vector<std::span<const std::optional<double>>> columns = {scores};
  const std::vector<int64_t> unit_of = {0, 0, 1, 1, 2};
  // Mean ranks (0 + 4)/2, (1 + 2)/2, 3: the middle, the lowest, the highest.
  const RankedUnits set = rank_units(columns, unit_of);
  ASSERT_EQ(set.units, 3);
  EXPECT_NEAR(set.at(0, 0), 0, 1e-12);
  EXPECT_LT(set.at(1, 0), 0);
  EXPECT_NEAR(set.at(2, 0), -set.at(1, 0), 1e-12);
}

TEST(ScoreDependenceTest, FindsNeighboursThatScoreAlike) {
  ScoreColumn drifting;
  for (int i = 0; i < 40; ++i) drifting.push_back(i / 10);
  const std::vector<RankedUnits> sets = {one_attack(drifting), one_attack(normal_column(1, 40))};
  const auto found = test_order(sets, {.permutations = 199});
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->p_value, 1.0 / 200);
  EXPECT_EQ(found->attack, 0);
  EXPECT_GT(neighbour_correlation(sets, 0), 0.3);
}

TEST(ScoreDependenceTest, NeighboursThatDifferAreNoSign) {
  ScoreColumn alternating;
  for (int i = 0; i < 40; ++i) alternating.push_back(i % 2);
  const std::vector<RankedUnits> sets = {one_attack(alternating)};
  EXPECT_GT(test_order(sets, {.permutations = 199})->p_value, 0.5);
  EXPECT_NEAR(neighbour_correlation(sets, 0), -1, 1e-12);
}

TEST(ScoreDependenceTest, NamesTheAttackThatShowsIt) {
  const ScoreColumn noise = normal_column(1, 40);
  ScoreColumn drifting;
  for (int i = 0; i < 40; ++i) drifting.push_back(i / 10);
  std::vector<int64_t> unit_of(40);
  std::iota(unit_of.begin(), unit_of.end(), 0);
  const std::vector<std::span<const std::optional<double>>> columns = {noise, drifting};
  const std::vector<RankedUnits> sets = {rank_units(columns, unit_of)};
  EXPECT_EQ(test_order(sets, {.permutations = 199})->attack, 1);
}

TEST(ScoreDependenceTest, FindsGroupsThatScoreAlikeInAnyOrder) {
  const ScoreColumn noise = normal_column(2, 60);
  ScoreColumn grouped;
  Groups groups(1);
  for (size_t i = 0; i < 60; ++i) {
    groups[0].push_back(static_cast<int64_t>(i % 6));
    grouped.push_back(*noise[i] + static_cast<double>(i % 6));
  }
  const std::vector<RankedUnits> alike = {one_attack(grouped)};
  EXPECT_DOUBLE_EQ(test_groups(alike, groups, {.permutations = 199})->p_value, 1.0 / 200);
  EXPECT_GT(*rank_icc(alike, groups, 0), 0.5);
  const std::vector<RankedUnits> independent = {one_attack(noise)};
  EXPECT_GT(test_groups(independent, groups, {.permutations = 199})->p_value, 0.05);
  EXPECT_LT(std::abs(*rank_icc(independent, groups, 0)), 0.2);
}

TEST(ScoreDependenceTest, IntraclassCorrelationByHand) {
  // Ranks -3, -1, 1, 3 over √5, groups of two: SSB = 2·(2² + 2²)/5 = 3.2, SSW = 4·1/5 = 0.8; mean
  // squares 3.2/1 and 0.8/2; (3.2 - 0.4)/(3.2 + 0.4).
  const std::vector<RankedUnits> sets = {one_attack({1, 2, 3, 4})};
  EXPECT_NEAR(*rank_icc(sets, Groups{{0, 0, 1, 1}}, 0), 2.8 / 3.6, 1e-12);
  EXPECT_FALSE(rank_icc(sets, Groups{{0, 0, 0, 0}}, 0));
  EXPECT_FALSE(rank_icc(sets, Groups{{0, 1, 2, 3}}, 0));
}

TEST(ScoreDependenceTest, BlockStrengthByHand) {
  // Pairs within blocks of two: 2·(3 + 3)/5 = 2.4, over √(2 blocks · 2 · 2 · 1).
  const std::vector<RankedUnits> sets = {one_attack({1, 2, 3, 4})};
  EXPECT_NEAR(block_strength(sets, 2), 2.4 / std::sqrt(8.0), 1e-12);
}

TEST(ScoreDependenceTest, HasTheLevelThatItClaims) {
  // Two attacks that are nearly one, independent units: p <= 0.05 in about 5% of 400 runs (11 to 29
  // with probability 0.97).
  int alarms = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const ScoreColumn a = normal_column(seed, 60);
    ScoreColumn b = normal_column(seed + 1000, 60);
    for (size_t i = 0; i < b.size(); ++i) b[i] = *a[i] + 0.3 * *b[i];
    std::vector<int64_t> unit_of(60);
    std::iota(unit_of.begin(), unit_of.end(), 0);
    const std::vector<std::span<const std::optional<double>>> columns = {a, b};
    const std::vector<RankedUnits> sets = {rank_units(columns, unit_of)};
    if (test_order(sets, {.permutations = 99, .seed = seed})->p_value <= 0.05) ++alarms;
  }
  EXPECT_GE(alarms, 8);
  EXPECT_LE(alarms, 32);
}

TEST(ScoreDependenceTest, NoTestWhereNothingVariesOrLittleIsThere) {
  const std::vector<RankedUnits> constant = {one_attack(ScoreColumn(20, 1.0))};
  EXPECT_FALSE(test_order(constant, {.permutations = 99}));
  const std::vector<RankedUnits> few = {one_attack(normal_column(3, 7))};
  EXPECT_FALSE(test_order(few, {.permutations = 99}));
  EXPECT_FALSE(test_order({}, {.permutations = 99}));
  const std::vector<RankedUnits> none = {RankedUnits{.units = 20}};
  EXPECT_FALSE(test_order(none, {.permutations = 99}));
}

TEST(ScoreDependenceTest, DoesNotDependOnThreads) {
  const std::vector<RankedUnits> sets = {one_attack(normal_column(5, 50))};
  EXPECT_EQ(test_order(sets, {.seed = 3, .threads = 1})->p_value,
            test_order(sets, {.seed = 3, .threads = 4})->p_value);
}

}  // namespace
}  // namespace palimpsest::attack
