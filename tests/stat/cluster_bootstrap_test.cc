#include "palimpsest/stat/internal/cluster_bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/stat/clustered_auc.h"

namespace palimpsest::stat {
namespace {

struct Drawn {
  LabelledScores scores;
  ScoreClusters clusters;
};

Drawn draw_clusters(uint64_t seed, int64_t clusters, int64_t size, double icc) {
  Random random(seed);
  Drawn drawn;
  for (int64_t g = 0; g < 2 * clusters; ++g) {
    const bool positive = g < clusters;
    const double author = std::sqrt(icc) * random.normal();
    for (int64_t i = 0; i < size; ++i) {
      const double score = (positive ? 0.5 : 0) + author + std::sqrt(1 - icc) * random.normal();
      (positive ? drawn.scores.positives : drawn.scores.negatives).push_back(score);
      (positive ? drawn.clusters.positives : drawn.clusters.negatives).push_back(g);
    }
  }
  return drawn;
}

TEST(ClusterBootstrapTest, AgreesWithTheJackknifeWhereThereAreManyClusters) {
  const Drawn drawn = draw_clusters(1, 80, 10, 0.3);
  const auto estimate = bootstrap_clustered_auc(drawn.scores, drawn.clusters, {.seed = 1});
  const auto jackknife = clustered_auc(drawn.scores, drawn.clusters);
  ASSERT_TRUE(estimate && jackknife);
  const Interval expected = auc_interval(*jackknife);
  EXPECT_EQ(estimate->estimate, jackknife->auc);
  EXPECT_NEAR(estimate->interval.low, expected.low, 0.01);
  EXPECT_NEAR(estimate->interval.high, expected.high, 0.01);
  // Drawing examples instead of clusters gives far too short an interval.
  const auto naive = bootstrap_auc(drawn.scores, {.seed = 1});
  EXPECT_LT(naive->interval.high - naive->interval.low, 0.7 * (expected.high - expected.low));
}

TEST(ClusterBootstrapTest, ClustersOfOneAreTheOrdinaryBootstrap) {
  const Drawn drawn = draw_clusters(2, 60, 1, 0);
  const auto clustered = bootstrap_clustered_auc(drawn.scores, drawn.clusters, {});
  EXPECT_EQ(clustered->interval, bootstrap_auc(drawn.scores, {})->interval);
}

TEST(ClusterBootstrapTest, ThreadsChangeNothing) {
  const Drawn drawn = draw_clusters(3, 50, 3, 0.2);
  EXPECT_EQ(bootstrap_clustered_auc(drawn.scores, drawn.clusters, {.threads = 1})->interval,
            bootstrap_clustered_auc(drawn.scores, drawn.clusters, {.threads = 3})->interval);
}

TEST(ClusterBootstrapTest, UndefinedWhereNothingVaries) {
  const LabelledScores apart{.positives = {3, 4}, .negatives = {1, 2}};
  EXPECT_FALSE(bootstrap_clustered_auc(apart, independent_items(2, 2), {}));
  const LabelledScores equal{.positives = {1, 1}, .negatives = {1, 1}};
  EXPECT_FALSE(bootstrap_clustered_auc(equal, independent_items(2, 2), {}));
}

}  // namespace
}  // namespace palimpsest::stat
