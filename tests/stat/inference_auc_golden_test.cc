// The AUC over clusters, differences and max-|t| against numpy and SciPy, where every cluster is
// really deleted and all pairs are counted again: tools/golden/inference_auc.py.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "palimpsest/stat/clustered_auc.h"
#include "palimpsest/stat/delong.h"
#include "palimpsest/stat/internal/student_t.h"
#include "tests/stat/golden_cases.h"
#include "tests/stat/multiple_of_draws.h"

namespace palimpsest::stat {
namespace {

// Ours divides an exact integer once. The reference subtracts two means of numbers of size 1, which
// leaves some 1e-16 of a ψ whose size is 1e-3 and more.
constexpr double kInfluence = 2e-15;
constexpr double kRelative = 1e-12;

LabelledScores golden_scores(const Json& item, size_t attack) {
  return {.positives = numbers(item["positives"][attack]),
          .negatives = numbers(item["negatives"][attack])};
}

ScoreClusters golden_clusters(const Json& item) {
  return {.positives = item["clusters_positives"].get<std::vector<int64_t>>(),
          .negatives = item["clusters_negatives"].get<std::vector<int64_t>>()};
}

void expect_close(double found, const Json& expected) {
  EXPECT_NEAR(found, number(expected), kRelative * std::abs(number(expected)));
}

TEST(ClusteredAucGoldenTest, EqualsDeletingEachCluster) {
  for (const Json& item : golden_cases("inference_auc")) {
    const ScoreClusters clusters = golden_clusters(item);
    for (size_t k = 0; k < item["estimates"].size(); ++k) {
      SCOPED_TRACE(item["name"].dump() + " attack " + std::to_string(k));
      const Json& expected = item["estimates"][k];
      const auto found = clustered_auc(golden_scores(item, k), clusters);
      ASSERT_TRUE(found);
      EXPECT_NEAR(found->auc, number(expected["auc"]), 1e-15);
      const std::vector<double> influence = numbers(expected["influence"]);
      ASSERT_EQ(found->influence.size(), influence.size());
      for (size_t g = 0; g < influence.size(); ++g) {
        EXPECT_NEAR(found->influence[g], influence[g], kInfluence) << "cluster " << g;
      }
      expect_close(found->variance, expected["variance"]);
      expect_close(found->degrees_of_freedom, expected["df"]);
      expect_close(found->variance_positives, expected["variance_positives"]);
      expect_close(found->variance_negatives, expected["variance_negatives"]);
      for (size_t c = 0; c < item["confidences"].size(); ++c) {
        const Interval interval = auc_interval(*found, number(item["confidences"][c]));
        EXPECT_NEAR(interval.low, number(expected["intervals"][c][0]), kRelative);
        EXPECT_NEAR(interval.high, number(expected["intervals"][c][1]), kRelative);
      }
    }
  }
}

TEST(ClusteredAucGoldenTest, DesignEffectAndIntraclassCorrelation) {
  for (const Json& item : golden_cases("inference_auc")) {
    const ScoreClusters clusters = golden_clusters(item);
    for (size_t k = 0; k < item["estimates"].size(); ++k) {
      SCOPED_TRACE(item["name"].dump() + " attack " + std::to_string(k));
      const Json& expected = item["estimates"][k];
      const LabelledScores scores = golden_scores(item, k);
      const auto effect = design_effect(scores, clusters);
      ASSERT_TRUE(effect);
      expect_close(*effect, expected["design_effect"]);
      const auto icc = rank_intraclass_correlation(scores, clusters);
      ASSERT_EQ(icc.has_value(), !expected["rank_icc"].is_null());
      if (icc) {
        EXPECT_NEAR(*icc, number(expected["rank_icc"]), kRelative);
      }
    }
  }
}

TEST(ClusteredAucGoldenTest, SingletonsAreDelong) {
  for (const Json& item : golden_cases("inference_auc")) {
    if (item["name"] != "singletons" && item["name"] != "singletons, ties") continue;
    const auto expected = delong(golden_scores(item, 0));
    ASSERT_TRUE(expected);
    expect_close(expected->variance, item["estimates"][0]["variance"]);
  }
}

TEST(AucDifferenceGoldenTest, EqualsTheDefinition) {
  for (const Json& item : golden_cases("inference_auc")) {
    SCOPED_TRACE(item["name"].dump());
    const ScoreClusters clusters = golden_clusters(item);
    const auto a = clustered_auc(golden_scores(item, 0), clusters);
    const auto b = clustered_auc(golden_scores(item, 1), clusters);
    ASSERT_TRUE(a && b);
    const auto found = auc_difference(*a, *b);
    ASSERT_TRUE(found);
    const Json& expected = item["difference"];
    expect_close(found->variance, expected["variance"]);
    expect_close(found->degrees_of_freedom, expected["df"]);
    expect_close(difference_p_value(*found), expected["p_value"]);
    for (size_t c = 0; c < item["confidences"].size(); ++c) {
      const Interval interval = difference_interval(*found, number(item["confidences"][c]));
      EXPECT_NEAR(interval.low, number(expected["intervals"][c][0]), kRelative);
      EXPECT_NEAR(interval.high, number(expected["intervals"][c][1]), kRelative);
    }
  }
}

// What the multiples of the library are compared with (simultaneous_test.cc) has the values of the
// reference.
TEST(SimultaneousGoldenTest, EqualsTheQuantileOfTheGivenDraws) {
  for (const Json& item : golden_cases("inference_auc")) {
    SCOPED_TRACE(item["name"].dump());
    const ScoreClusters clusters = golden_clusters(item);
    std::vector<ClusteredAuc> found;
    for (size_t k = 0; k < item["estimates"].size(); ++k) {
      found.push_back(clustered_auc(golden_scores(item, k), clusters).value());
    }
    std::vector<EstimateInfluence> estimates;
    for (const ClusteredAuc& one : found) {
      estimates.push_back({one.influence, one.degrees_of_freedom});
    }
    const Json& draws = item["max_t"];
    std::vector<std::vector<double>> normals;
    for (const Json& row : draws["normals"]) normals.push_back(numbers(row));
    for (size_t c = 0; c < item["confidences"].size(); ++c) {
      expect_close(multiple_of_draws(estimates, normals, numbers(draws["chi_squares"]),
                                     number(item["confidences"][c])),
                   draws["multiples"][c]);
    }
  }
}

TEST(StudentTGoldenTest, QuantilesEqualScipys) {
  for (const Json& item : golden_cases("inference_auc", "student_t")) {
    SCOPED_TRACE(item.dump());
    expect_close(student_t_quantile(number(item["p"]), number(item["df"])), item["quantile"]);
  }
}

}  // namespace
}  // namespace palimpsest::stat
