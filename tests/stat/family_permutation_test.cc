#include "palimpsest/stat/internal/family_permutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"
#include "palimpsest/stat/auc.h"

namespace palimpsest::stat {
namespace {

// Clusters of the given sizes, all items of a class shifted; `effect` is what the items of a
// cluster have in common.
ClusteredScores clustered(uint64_t seed, const std::vector<int>& positive_sizes,
                          const std::vector<int>& negative_sizes, double shift) {
  Random random(seed);
  ClusteredScores attack;
  int64_t cluster = 0;
  auto fill = [&](const std::vector<int>& sizes, double center, std::vector<double>& scores,
                  std::vector<int64_t>& clusters) {
    for (int size : sizes) {
      const double effect = random.normal();
      for (int i = 0; i < size; ++i) {
        scores.push_back(center + effect + random.normal());
        clusters.push_back(cluster);
      }
      ++cluster;
    }
  };
  fill(positive_sizes, shift, attack.scores.positives, attack.clusters.positives);
  fill(negative_sizes, 0, attack.scores.negatives, attack.clusters.negatives);
  return attack;
}

ClusteredScores independent(uint64_t seed, int64_t positives, int64_t negatives, double shift) {
  Random random(seed);
  ClusteredScores attack{.scores = {}, .clusters = independent_items(positives, negatives)};
  for (int64_t i = 0; i < positives; ++i)
    attack.scores.positives.push_back(random.normal() + shift);
  for (int64_t i = 0; i < negatives; ++i) attack.scores.negatives.push_back(random.normal());
  return attack;
}

// The attack under another labelling: bit g of `positive` says whether cluster g is.
LabelledScores relabelled(const ClusteredScores& attack, unsigned positive) {
  LabelledScores scores;
  auto add = [&](double score, int64_t cluster) {
    ((positive >> cluster & 1) != 0 ? scores.positives : scores.negatives).push_back(score);
  };
  for (size_t i = 0; i < attack.scores.positives.size(); ++i)
    add(attack.scores.positives[i], attack.clusters.positives[i]);
  for (size_t i = 0; i < attack.scores.negatives.size(); ++i)
    add(attack.scores.negatives[i], attack.clusters.negatives[i]);
  return scores;
}

struct Enumerated {
  double p_value = 0;
  double tail_p_value = 0;
};

// Over all labellings with the same number of positive clusters, the first of which are positive.
Enumerated enumerate(const std::vector<ClusteredScores>& attacks, int clusters, int positives,
                     double fpr) {
  const unsigned actual = (1U << positives) - 1;
  std::vector<std::vector<double>> centred;
  std::vector<double> tails;
  size_t actual_row = 0;
  for (unsigned pattern = 0; pattern < 1U << clusters; ++pattern) {
    if (std::popcount(pattern) != positives) continue;
    if (pattern == actual) actual_row = tails.size();
    centred.emplace_back();
    double smallest = 1;
    for (const ClusteredScores& attack : attacks) {
      const LabelledScores scores = relabelled(attack, pattern);
      centred.back().push_back(*auc(scores) - 0.5);
      smallest = std::min(smallest, tail_p_value(scores, fpr).value_or(1));
    }
    tails.push_back(smallest);
  }
  const auto rows = static_cast<double>(tails.size());
  std::vector<double> largest(tails.size(), 0);
  for (size_t k = 0; k < attacks.size(); ++k) {
    double squares = 0;
    for (const auto& row : centred) squares += row[k] * row[k];
    for (size_t b = 0; b < largest.size(); ++b)
      largest[b] = std::max(largest[b], std::abs(centred[b][k]) / std::sqrt(squares / rows));
  }
  Enumerated result;
  for (size_t b = 0; b < tails.size(); ++b) {
    result.p_value += largest[b] >= largest[actual_row] - 1e-9 ? 1 / rows : 0;
    result.tail_p_value += tails[b] <= tails[actual_row] * (1 + 1e-9) ? 1 / rows : 0;
  }
  return result;
}

TEST(FamilyPermutationTest, EstimatesTheShareOfAllLabellings) {
  constexpr int64_t kPermutations = 19'999;
  for (uint64_t seed : {1, 2, 3}) {
    const std::vector<int> sizes[] = {{3, 1, 7, 2, 4}, {5, 2, 2, 6, 1, 3}};
    const std::vector<ClusteredScores> attacks = {clustered(seed, sizes[0], sizes[1], 1.2),
                                                  clustered(seed + 10, sizes[0], sizes[1], 0.6)};
    const Enumerated exact = enumerate(attacks, 11, 5, 0.2);
    const FamilyPermutation found = permute_family(attacks, {.permutations = kPermutations,
                                                             .tail_fpr = 0.2,
                                                             .tail_permutations = kPermutations,
                                                             .seed = seed});
    // 0.015 is four standard deviations at a half.
    EXPECT_NEAR(found.p_value.value(), exact.p_value, 0.015);
    EXPECT_NEAR(found.tail_p_value.value(), exact.tail_p_value, 0.015);
  }
}

TEST(FamilyPermutationTest, AStopTokenEndsIt) {
  const std::vector<int> sizes(20, 5);
  const std::vector<ClusteredScores> attacks = {clustered(1, sizes, sizes, 0)};
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(permute_family(attacks, {.stop = source.get_token()}), Stopped);
}

TEST(FamilyPermutationTest, SeesWhatIsThere) {
  const std::vector<int> sizes(20, 5);
  const std::vector<ClusteredScores> attacks = {clustered(1, sizes, sizes, 0),
                                                clustered(2, sizes, sizes, 2)};
  const FamilyPermutation found = permute_family(attacks);
  EXPECT_EQ(found.p_value, 1.0 / 2000);
  EXPECT_EQ(permute_family(std::span(attacks).first(1)).p_value > 0.03, true);
  // The other direction counts for the AUC, not for the tail.
  const std::vector<ClusteredScores> reversed = {independent(3, 200, 200, -2)};
  const FamilyPermutation low = permute_family(reversed);
  EXPECT_EQ(low.p_value, 1.0 / 2000);
  EXPECT_EQ(low.tail_p_value, 1.0);
}

TEST(FamilyPermutationTest, TheTailSeesAFewThatTheAucDoesNot) {
  std::vector<ClusteredScores> attacks = {independent(1, 400, 400, 0), independent(5, 400, 400, 0)};
  for (size_t i = 0; i < 20; ++i) attacks[1].scores.positives[i] += 6;
  const FamilyPermutation found = permute_family(attacks);
  EXPECT_GT(found.p_value.value(), 0.03);
  EXPECT_LE(found.tail_p_value.value(), 0.02);
  EXPECT_EQ(found.tail_attack, 1U);
  // With one independent attack the permutations estimate the exact p.
  const auto single = std::span(attacks).first(1);
  EXPECT_NEAR(permute_family(single, {.tail_permutations = 9999}).tail_p_value.value(),
              tail_p_value(attacks[0].scores, 0.01).value(), 0.02);
}

TEST(FamilyPermutationTest, DependsOnTheSeedAndNotOnTheThreads) {
  const std::vector<ClusteredScores> attacks = {clustered(1, {3, 4, 5, 6, 2}, {1, 4, 4, 3}, 0.3)};
  auto found = [&](uint64_t seed, int threads) {
    return permute_family(attacks, {.tail_fpr = 0.1, .seed = seed, .threads = threads});
  };
  EXPECT_EQ(found(1, 1).p_value, found(1, 3).p_value);
  EXPECT_EQ(found(1, 1).tail_p_value, found(1, 3).tail_p_value);
  EXPECT_NE(found(1, 1).p_value, found(2, 1).p_value);
}

// More draws of one kind than of the other change nothing in the other.
TEST(FamilyPermutationTest, TheTwoTestsDoNotDisturbEachOther) {
  const std::vector<ClusteredScores> attacks = {clustered(1, {3, 4, 5, 6, 2}, {1, 4, 4, 3}, 0.3)};
  const auto few = permute_family(attacks, {.permutations = 99, .tail_fpr = 0.1});
  const auto many = permute_family(attacks, {.tail_fpr = 0.1, .tail_permutations = 99});
  const auto both = permute_family(attacks, {.tail_fpr = 0.1});
  EXPECT_EQ(few.tail_p_value, both.tail_p_value);
  EXPECT_EQ(many.p_value, both.p_value);
}

TEST(FamilyPermutationTest, EqualScoresAreNoEvidence) {
  const std::vector<ClusteredScores> attacks = {
      {.scores = {std::vector<double>(200, 1.0), std::vector<double>(200, 1.0)},
       .clusters = independent_items(200, 200)}};
  const FamilyPermutation found = permute_family(attacks);
  EXPECT_EQ(found.p_value, 1.0);
  EXPECT_EQ(found.tail_p_value, 1.0);
}

TEST(FamilyPermutationTest, UndefinedWithoutBothClasses) {
  const FamilyPermutation none = permute_family({});
  EXPECT_FALSE(none.p_value);
  EXPECT_FALSE(none.tail_p_value);
  EXPECT_FALSE(none.tail_attack);
  const std::vector<ClusteredScores> attacks = {independent(1, 50, 0, 0), independent(2, 50, 50, 3),
                                                independent(3, 50, 99, 3)};
  EXPECT_FALSE(permute_family(std::span(attacks).first(1)).p_value);
  // An attack that is undefined or has too few negatives is passed over.
  const FamilyPermutation found = permute_family(attacks);
  EXPECT_EQ(found.p_value, 1.0 / 2000);
  EXPECT_FALSE(found.tail_p_value);
  const FamilyPermutation coarse = permute_family(attacks, {.tail_fpr = 0.02});
  EXPECT_EQ(coarse.tail_p_value, 1.0 / 1000);
  EXPECT_NE(coarse.tail_attack, std::nullopt);
}

// Only one labelling is possible: nothing can be compared.
TEST(FamilyPermutationTest, NothingToPermuteIsNoEvidence) {
  ClusteredScores attack = independent(1, 1, 1, 9);
  attack.clusters = {.positives = {0}, .negatives = {1}};
  EXPECT_EQ(permute_family(std::span(&attack, 1), {.tail_fpr = 0.5}).p_value, 1.0);
  EXPECT_FALSE(permute_family(std::span(&attack, 1), {.tail_fpr = 0.5}).tail_p_value);
}

// Ten authors in both sets, each with its own level: labels move within an author only, so that the
// levels cannot hide what is the same within all of them.
TEST(FamilyPermutationTest, ClustersInBothClassesPermuteWithin) {
  Random random(4);
  ClusteredScores attack;
  for (int64_t author = 0; author < 10; ++author) {
    for (int i = 0; i < 4; ++i) {
      const auto level = static_cast<double>(100 * author);
      attack.scores.positives.push_back(level + random.normal() + 3);
      attack.scores.negatives.push_back(level + random.normal());
      attack.clusters.positives.push_back(author);
      attack.clusters.negatives.push_back(author);
    }
  }
  EXPECT_EQ(permute_family(std::span(&attack, 1)).p_value, 1.0 / 2000);
  ClusteredScores separate = attack;
  for (int64_t& author : separate.clusters.negatives) author += 10;
  EXPECT_GT(permute_family(std::span(&separate, 1)).p_value.value(), 0.3);
  // Without one of its items an attack still goes along.
  std::vector<ClusteredScores> family = {attack, attack};
  family[1].scores.positives.pop_back();
  family[1].clusters.positives.pop_back();
  EXPECT_EQ(permute_family(family).p_value, 1.0 / 2000);
}

// Two attacks that are copies of each other are one attack, also within clusters in both classes:
// the same labels must have been drawn for both.
TEST(FamilyPermutationTest, AttacksShareTheLabels) {
  ClusteredScores attack = clustered(5, {3, 4, 5, 6, 2, 4}, {4, 4, 3, 3, 3}, 0.8);
  attack.clusters.negatives[0] = 0;
  attack.clusters.negatives[1] = 0;
  const std::vector<ClusteredScores> twice = {attack, attack};
  const auto one = permute_family(std::span(twice).first(1), {.tail_fpr = 0.2});
  const auto two = permute_family(twice, {.tail_fpr = 0.2});
  EXPECT_EQ(one.p_value, two.p_value);
  EXPECT_EQ(one.tail_p_value, two.tail_p_value);
}

TEST(FamilyPermutationTest, RefusesWhatIsOutOfRange) {
  const std::vector<ClusteredScores> attacks = {independent(1, 20, 20, 0)};
  EXPECT_THROW(permute_family(attacks, {.permutations = 98}), Error);
  EXPECT_THROW(permute_family(attacks, {.tail_permutations = 10}), Error);
  EXPECT_THROW(permute_family(attacks, {.tail_fpr = 0}), Error);
  std::vector<ClusteredScores> wrong = attacks;
  wrong[0].clusters.negatives.pop_back();
  EXPECT_THROW(permute_family(wrong), Error);
}

TEST(TailPValueTest, CountsPositivesBeyondTheThreshold) {
  // k = 1 of 2: X >= 2 needs both positives among the three highest: 3 of 6 orders.
  EXPECT_NEAR(tail_p_value({.positives = {4, 2}, .negatives = {3, 1}}, 0.5).value(), 0.5, 1e-14);
  // A tie with the threshold is not beyond it: X >= 1 is left.
  EXPECT_NEAR(tail_p_value({.positives = {4, 2}, .negatives = {3, 2}}, 0.5).value(), 5.0 / 6,
              1e-14);
  EXPECT_EQ(tail_p_value({.positives = {0, 0}, .negatives = {3, 1}}, 0.5), 1.0);
}

TEST(TailPValueTest, NeedsANegativeBeyond) {
  EXPECT_FALSE(tail_p_value({.positives = {4, 2}, .negatives = {3, 1}}, 0.4));
  EXPECT_FALSE(tail_p_value({.positives = {}, .negatives = {3, 1}}, 0.5));
  EXPECT_TRUE(tail_p_value({{1}, std::vector<double>(100, 0)}, 0.01));
  EXPECT_THROW(tail_p_value({}, 0), Error);
  EXPECT_THROW(tail_p_value({}, 1), Error);
}

}  // namespace
}  // namespace palimpsest::stat
