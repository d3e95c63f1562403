#include "palimpsest/stat/clustered_auc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "palimpsest/base/random.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/delong.h"
#include "palimpsest/stat/internal/normal.h"
#include "palimpsest/stat/internal/student_t.h"
#include "tests/support/expect_error.h"

namespace palimpsest::stat {
namespace {

struct ClusteredSample {
  LabelledScores scores;
  ScoreClusters clusters;
};

// `grain` > 0 rounds the scores, so that they tie. Clusters of the negatives start at `first`.
ClusteredSample draw_sample(uint64_t seed, int64_t clusters, int64_t size, int64_t first,
                            double grain = 0) {
  Random random(seed);
  std::vector<double> effects(static_cast<size_t>(first + clusters));
  for (double& effect : effects) effect = 0.7 * random.normal();
  ClusteredSample sample;
  auto score = [&](int64_t g, double shift) {
    const double value = random.normal() + effects[static_cast<size_t>(g)] + shift;
    return grain > 0 ? std::floor(value / grain) * grain : value;
  };
  for (int64_t i = 0; i < clusters * size; ++i) {
    sample.clusters.positives.push_back(i % clusters);
    sample.scores.positives.push_back(score(i % clusters, 0.6));
    sample.clusters.negatives.push_back(first + i % clusters);
    sample.scores.negatives.push_back(score(first + i % clusters, 0));
  }
  return sample;
}

// Positives {9, 5} and {6}, negatives {1, 2} and {7}: without each cluster in turn the AUC of 7/9
// is 6/9, 5/6, 1/3 and 1.
const LabelledScores kWorked{.positives = {9, 5, 6}, .negatives = {1, 2, 7}};
const ScoreClusters kWorkedClusters{.positives = {0, 0, 1}, .negatives = {2, 2, 3}};

TEST(ClusteredAucTest, WorkedExample) {
  const auto estimate = clustered_auc(kWorked, kWorkedClusters);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->auc, 7.0 / 9, 1e-15);
  const double half = std::sqrt(0.5);
  const std::vector<double> expected = {-half / 9, half / 18, -half * 4 / 9, half * 2 / 9};
  ASSERT_EQ(estimate->influence.size(), 4U);
  for (size_t g = 0; g < 4; ++g) EXPECT_NEAR(estimate->influence[g], expected[g], 1e-15);
  EXPECT_NEAR(estimate->variance_positives, 5.0 / 648, 1e-15);
  EXPECT_NEAR(estimate->variance_negatives, 10.0 / 81, 1e-15);
  const double variance = 5.0 / 648 + 10.0 / 81;
  EXPECT_NEAR(estimate->variance, variance, 1e-15);
  EXPECT_NEAR(estimate->standard_error(), std::sqrt(variance), 1e-15);
  const double squares = 25.0 / (648 * 648) + 100.0 / (81 * 81);
  EXPECT_NEAR(estimate->degrees_of_freedom, variance * variance / squares, 1e-13);
  EXPECT_EQ(estimate->clusters.positives, 2);
  EXPECT_EQ(estimate->clusters.negatives, 2);
}

TEST(ClusteredAucTest, ClustersOfOneGiveDelongsVariance) {
  for (const double grain : {0.0, 0.5}) {
    const LabelledScores scores = draw_sample(3, 60, 1, 60, grain).scores;
    const auto estimate = clustered_auc(scores, independent_items(60, 60));
    const auto expected = delong(scores);
    ASSERT_TRUE(estimate && expected);
    EXPECT_EQ(estimate->auc, expected->auc);
    EXPECT_NEAR(estimate->variance, expected->variance, 1e-13 * expected->variance);
  }
}

TEST(ClusteredAucTest, EqualClustersGiveObuchowskisVariance) {
  // G/(G - 1)·Σ(T_g - m·A)²/M² in each class, with clusters in one class only.
  const ClusteredSample sample = draw_sample(8, 9, 4, 9, 0.5);
  double expected = 0;
  for (const bool positive : {true, false}) {
    const auto& own = positive ? sample.scores.positives : sample.scores.negatives;
    const auto& others = positive ? sample.scores.negatives : sample.scores.positives;
    const auto& numbers = positive ? sample.clusters.positives : sample.clusters.negatives;
    std::vector<double> sums(18);
    const std::vector<int64_t> doubled = doubled_placements(own, others);
    for (size_t i = 0; i < own.size(); ++i) {
      const double below =
          static_cast<double>(doubled[i]) / (2.0 * static_cast<double>(others.size()));
      sums[static_cast<size_t>(numbers[i])] += positive ? below : 1 - below;
    }
    for (size_t g = positive ? 0 : 9; g < (positive ? 9U : 18U); ++g) {
      expected += std::pow(sums[g] - 4 * *auc(sample.scores), 2) * 9 / 8 / (36 * 36);
    }
  }
  EXPECT_NEAR(clustered_auc(sample.scores, sample.clusters)->variance, expected, 1e-13 * expected);
}

TEST(ClusteredAucTest, DependsOnNeitherOrderNorNumbersNorScaleOfScores) {
  const ClusteredSample sample = draw_sample(5, 8, 5, 4);
  const auto expected = clustered_auc(sample.scores, sample.clusters);
  ASSERT_TRUE(expected);
  ClusteredSample other = sample;
  for (auto* values : {&other.scores.positives, &other.scores.negatives}) {
    std::reverse(values->begin(), values->end());
    for (double& value : *values) value = std::exp(value);
  }
  for (auto* numbers : {&other.clusters.positives, &other.clusters.negatives}) {
    std::reverse(numbers->begin(), numbers->end());
    for (int64_t& number : *numbers) number = 3 * (11 - number) + 2;
  }
  const auto found = clustered_auc(other.scores, other.clusters);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->auc, expected->auc);
  EXPECT_NEAR(found->variance, expected->variance, 1e-14);
  EXPECT_NEAR(found->degrees_of_freedom, expected->degrees_of_freedom, 1e-11);
  EXPECT_EQ(found->influence[3 * 11 + 2], expected->influence[0]);
  EXPECT_EQ(found->influence[0], 0);
  EXPECT_EQ(found->clusters.both, expected->clusters.both);
}

TEST(ClusteredAucTest, SwappingTheClassesMirrorsTheEstimate) {
  const ClusteredSample sample = draw_sample(6, 7, 3, 5, 0.5);
  const auto forward = clustered_auc(sample.scores, sample.clusters);
  const auto backward = clustered_auc(
      {.positives = sample.scores.negatives, .negatives = sample.scores.positives},
      {.positives = sample.clusters.negatives, .negatives = sample.clusters.positives});
  ASSERT_TRUE(forward && backward);
  EXPECT_NEAR(backward->auc, 1 - forward->auc, 1e-15);
  EXPECT_NEAR(backward->variance, forward->variance, 1e-15);
  EXPECT_NEAR(backward->variance_positives, forward->variance_negatives, 1e-15);
  const Interval mirrored = auc_interval(*backward);
  EXPECT_NEAR(mirrored.low, 1 - auc_interval(*forward).high, 1e-13);
}

TEST(ClusteredAucTest, AClusterInBothClassesLosesItsInnerPairsOnce) {
  const ClusteredSample sample = draw_sample(7, 5, 4, 0, 0.5);
  const auto estimate = clustered_auc(sample.scores, sample.clusters);
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->clusters.both, 5);
  EXPECT_NEAR(estimate->degrees_of_freedom, 4, 1e-12);
  EXPECT_EQ(estimate->variance_positives, estimate->variance / 2);
  for (int64_t g = 0; g < 5; ++g) {
    LabelledScores left;
    for (size_t i = 0; i < sample.scores.positives.size(); ++i) {
      if (sample.clusters.positives[i] == g) continue;
      left.positives.push_back(sample.scores.positives[i]);
      left.negatives.push_back(sample.scores.negatives[i]);
    }
    EXPECT_NEAR(estimate->influence[static_cast<size_t>(g)],
                std::sqrt(0.8) * (*auc(left) - estimate->auc), 1e-15);
  }
}

TEST(ClusteredAucTest, ALoneClusterOfAStratumStillVaries) {
  // Cluster 0 is the only one with positives alone; the others are in both classes.
  const LabelledScores scores{.positives = {9, 8, 5, 3}, .negatives = {4, 6, 1}};
  const auto estimate = clustered_auc(scores, {.positives = {0, 0, 1, 2}, .negatives = {1, 2, 3}});
  ASSERT_TRUE(estimate);
  // Without it 5 and 3 are left: (2 + 1)/6 of the pairs instead of 9/12.
  EXPECT_NEAR(estimate->influence[0], 0.5 - 0.75, 1e-15);
  EXPECT_GE(estimate->degrees_of_freedom, 1);
}

TEST(ClusteredAucTest, ConstantScoresAreUndefined) {
  EXPECT_FALSE(clustered_auc({.positives = {1, 1, 1}, .negatives = {1, 1, 1}}, kWorkedClusters));
  EXPECT_FALSE(clustered_auc({.positives = {1, 1}, .negatives = {1, 1}}, independent_items(2, 2)));
  // All clusters alike: no variance either.
  EXPECT_FALSE(clustered_auc({.positives = {1, 3, 1, 3}, .negatives = {2, 2}},
                             {.positives = {0, 0, 1, 1}, .negatives = {2, 3}}));
}

TEST(ClusteredAucTest, TooFewClustersAreUndefined) {
  EXPECT_FALSE(clustered_auc({}, {}));
  EXPECT_FALSE(clustered_auc({.positives = {1, 2}}, independent_items(2, 0)));
  // One cluster holds a whole class, alone or together with items of the other one.
  EXPECT_FALSE(clustered_auc(kWorked, {.positives = {0, 0, 0}, .negatives = {1, 2, 3}}));
  EXPECT_FALSE(clustered_auc(kWorked, {.positives = {1, 2, 3}, .negatives = {1, 1, 1}}));
  const LabelledScores separated{.positives = {3, 4}, .negatives = {1, 2}};
  EXPECT_FALSE(clustered_auc(separated, {.positives = {0, 0}, .negatives = {1, 2}}));
}

TEST(ClusteredAucTest, SeparatedClassesHaveTheExactBoundOfTheirClusters) {
  const ScoreClusters clusters{.positives = {0, 0, 1, 2, 2}, .negatives = {3, 3, 4}};
  const LabelledScores high{.positives = {5, 6, 7, 8, 9}, .negatives = {1, 2, 3}};
  const auto one = clustered_auc(high, clusters);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->auc, 1);
  EXPECT_EQ(one->variance, 0);
  EXPECT_EQ(one->degrees_of_freedom, 0);
  // Two pairs of clusters, although there are three negatives.
  EXPECT_NEAR(auc_interval(*one).low, std::sqrt(0.025), 1e-12);
  EXPECT_EQ(auc_interval(*one).high, 1);
  EXPECT_NEAR(auc_interval_with(*one, 4.5, 0.9).low, std::sqrt(0.05), 1e-12);
  const LabelledScores low{.positives = {1, 2, 3, 4, 5}, .negatives = {6, 7, 8}};
  const auto zero = clustered_auc(low, clusters);
  ASSERT_TRUE(zero);
  EXPECT_EQ(auc_interval(*zero).low, 0);
  EXPECT_NEAR(auc_interval(*zero).high, 1 - std::sqrt(0.025), 1e-12);
}

TEST(ClusteredAucTest, IntervalIsStudentsOnTheLogitScale) {
  const auto estimate = clustered_auc(kWorked, kWorkedClusters);
  ASSERT_TRUE(estimate);
  const double half = two_sided_t(0.9, estimate->degrees_of_freedom) * estimate->standard_error() /
                      (7.0 / 9 * 2 / 9);
  const Interval interval = auc_interval(*estimate, 0.9);
  EXPECT_NEAR(logit(interval.low), logit(7.0 / 9) - half, 1e-11);
  EXPECT_NEAR(logit(interval.high), logit(7.0 / 9) + half, 1e-11);
  EXPECT_EQ(auc_interval_with(*estimate, INFINITY, 0.9), (Interval{0, 1}));
  expect_contains(error_of([&] { auc_interval(*estimate, 1); }), "confidence");
}

TEST(ClusteredAucTest, RefusesClustersOfOtherItems) {
  const std::string wrong = ": there must be one cluster number per item (expected 3, found 2)";
  EXPECT_EQ(error_of([] {
              clustered_auc(kWorked, {.positives = {0, 1}, .negatives = {2, 3, 4}});
            }),
            "the positives" + wrong);
  EXPECT_EQ(error_of([] { design_effect(kWorked, independent_items(3, 2)); }),
            "the negatives" + wrong);
  EXPECT_EQ(error_of([] { rank_intraclass_correlation(kWorked, independent_items(2, 3)); }),
            "the positives" + wrong);
}

TEST(AucDifferenceTest, EqualScoresDoNotDiffer) {
  const auto estimate = clustered_auc(kWorked, kWorkedClusters);
  const auto none = auc_difference(*estimate, *estimate);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->variance, 0);
  EXPECT_EQ(none->degrees_of_freedom, 0);
  EXPECT_EQ(difference_interval(*none), (Interval{0, 0}));
  EXPECT_EQ(difference_p_value(*none), 1);
}

TEST(AucDifferenceTest, ClustersOfOneGiveDelongsPairedVariance) {
  const LabelledScores a = draw_sample(1, 40, 1, 40).scores;
  LabelledScores b = a;
  Random random(9);
  for (auto* values : {&b.positives, &b.negatives}) {
    for (double& value : *values) value += random.normal();
  }
  const ScoreClusters clusters = independent_items(40, 40);
  const auto difference = auc_difference(*clustered_auc(a, clusters), *clustered_auc(b, clusters));
  const auto test = delong_test(a, b);
  ASSERT_TRUE(difference && test);
  const double half = (test->difference.high - test->difference.low) / 2;
  EXPECT_NEAR(difference->standard_error(), half / two_sided_z(0.95), 1e-12);
  EXPECT_NEAR(difference->difference(), test->auc_a - test->auc_b, 1e-15);
  const Interval interval = difference_interval(*difference, 0.9);
  EXPECT_NEAR((interval.low + interval.high) / 2, difference->difference(), 1e-14);
  // The p-value is where an interval ends at 0.
  const double p = difference_p_value(*difference);
  const Interval touching = difference_interval(*difference, 1 - p);
  EXPECT_NEAR(std::min(std::abs(touching.low), std::abs(touching.high)), 0, 1e-12);
}

TEST(AucDifferenceTest, ADifferenceWithoutVarianceIsUndefined) {
  const ScoreClusters clusters = independent_items(2, 2);
  const auto one = clustered_auc({.positives = {3, 4}, .negatives = {1, 2}}, clusters);
  const auto zero = clustered_auc({.positives = {1, 2}, .negatives = {3, 4}}, clusters);
  ASSERT_TRUE(one && zero);
  EXPECT_FALSE(auc_difference(*one, *zero));
  EXPECT_TRUE(auc_difference(*one, *one));
}

TEST(AucDifferenceTest, StaysWithinMinusOneAndOne) {
  const ScoreClusters clusters = independent_items(3, 3);
  const auto high = clustered_auc({.positives = {9, 8, 3}, .negatives = {1, 2, 4}}, clusters);
  const auto low = clustered_auc({.positives = {1, 2, 8}, .negatives = {9, 7, 4}}, clusters);
  const auto difference = auc_difference(*high, *low);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference_interval(*difference).high, 1);
  EXPECT_EQ(difference_interval(*auc_difference(*low, *high)).low, -1);
}

TEST(AucDifferenceTest, RefusesOtherClusters) {
  const auto two = clustered_auc(kWorked, kWorkedClusters);
  const auto three = clustered_auc(kWorked, independent_items(3, 3));
  expect_contains(error_of([&] { (void)auc_difference(*two, *three); }), "same items");
}

TEST(AucDifferenceTest, AClusterThatOneScoreLacksKeepsTheOthersInfluence) {
  // The second score is undefined for the whole cluster 1.
  const LabelledScores scores{.positives = {9, 5, 6, 2}, .negatives = {1, 4, 7}};
  const ScoreClusters all{.positives = {0, 0, 1, 2}, .negatives = {3, 4, 5}};
  const auto a = clustered_auc(scores, all);
  const auto b = clustered_auc({.positives = {9, 5, 2}, .negatives = {1, 4, 7}},
                               {.positives = {0, 0, 2}, .negatives = {3, 4, 5}});
  ASSERT_TRUE(a && b);
  const auto difference = auc_difference(*a, *b);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->influence[1], a->influence[1]);
  EXPECT_EQ(difference->clusters.positives, 3);
}

TEST(DesignEffectTest, IsOneForIndependentItemsAndGrowsWithCopies) {
  const LabelledScores scores = draw_sample(2, 30, 1, 30).scores;
  EXPECT_NEAR(*design_effect(scores, independent_items(30, 30)), 1, 1e-12);
  // Every item four times is four times the items and no more information.
  ClusteredSample copies;
  for (int64_t i = 0; i < 120; ++i) {
    copies.scores.positives.push_back(scores.positives[static_cast<size_t>(i / 4)]);
    copies.scores.negatives.push_back(scores.negatives[static_cast<size_t>(i / 4)]);
    copies.clusters.positives.push_back(i / 4);
    copies.clusters.negatives.push_back(30 + i / 4);
  }
  // DeLong's n - 1 makes it a little more than 4.
  EXPECT_NEAR(*design_effect(copies.scores, copies.clusters), 4.0 * 119 / 116, 0.02);
  EXPECT_NEAR(*rank_intraclass_correlation(copies.scores, copies.clusters), 1, 1e-12);
}

TEST(DesignEffectTest, UndefinedWhereAVarianceIs) {
  EXPECT_FALSE(design_effect({}, {}));
  EXPECT_FALSE(design_effect({.positives = {3, 4}, .negatives = {1, 2}}, independent_items(2, 2)));
  EXPECT_FALSE(design_effect({.positives = {1, 1}, .negatives = {1, 1}}, independent_items(2, 2)));
}

TEST(RankIntraclassCorrelationTest, WorkedExample) {
  // Ranks 4 3 | 1 2 of the positives, 5 6 | 7 8 of the negatives, each class around its own mean:
  // MSB = (4 + 4)/2, MSW = (4·½)/4, clusters of two.
  const LabelledScores scores{.positives = {4, 3, 1, 2}, .negatives = {5, 6, 7, 8}};
  const ScoreClusters clusters{.positives = {0, 0, 1, 1}, .negatives = {2, 2, 3, 3}};
  EXPECT_NEAR(*rank_intraclass_correlation(scores, clusters), (4 - 0.5) / (4 + 0.5), 1e-14);
}

TEST(RankIntraclassCorrelationTest, IsNeverNegative) {
  const LabelledScores scores{.positives = {1, 4, 2, 3}, .negatives = {5, 8, 6, 7}};
  const ScoreClusters clusters{.positives = {0, 0, 1, 1}, .negatives = {2, 2, 3, 3}};
  EXPECT_EQ(rank_intraclass_correlation(scores, clusters), 0);
}

TEST(RankIntraclassCorrelationTest, UndefinedCases) {
  EXPECT_FALSE(rank_intraclass_correlation(kWorked, independent_items(3, 3)));
  EXPECT_FALSE(rank_intraclass_correlation({}, {}));
  EXPECT_FALSE(rank_intraclass_correlation({.positives = {1, 1, 1}, .negatives = {1, 1, 1}},
                                           kWorkedClusters));
  EXPECT_FALSE(
      rank_intraclass_correlation(kWorked, {.positives = {0, 0, 0}, .negatives = {1, 1, 1}}));
}

}  // namespace
}  // namespace palimpsest::stat
