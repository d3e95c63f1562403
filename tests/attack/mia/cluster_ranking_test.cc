#include "palimpsest/attack/internal/mia/cluster_ranking.h"

#include <gtest/gtest.h>

namespace palimpsest::attack {
namespace {

TEST(ClusterRankingTest, BestKnownClustersComeFirst) {
  const ScoreColumn forget = {5, 5, 1, std::nullopt, 3};
  const ScoreColumn holdout = {2, 4, 5, 6};
  const ExampleClusters clusters{.name = "author",
                                 .forget = {0, 0, 1, 1, 2},
                                 .holdout = {3, 3, 3, 3},
                                 .names = {"a", "b", "c", "d"}};
  const std::vector<RankedCluster> ranked = rank_clusters({forget, holdout}, clusters);
  ASSERT_EQ(ranked.size(), 3U);  // the holdout author is not ranked
  EXPECT_EQ(ranked[0].name, "b");
  EXPECT_EQ(ranked[0].auc, 1);
  EXPECT_EQ(ranked[0].examples, 1);  // the undefined score does not count
  EXPECT_EQ(ranked[1].name, "c");
  EXPECT_EQ(ranked[1].auc, 0.75);
  EXPECT_EQ(ranked[2].auc, 1.5 / 4);  // ties count half
}

TEST(ClusterRankingTest, NothingToRankWithoutClustersOrScores) {
  const ScoreColumn one = {1};
  const ScoreColumn none = {std::nullopt};
  EXPECT_TRUE(rank_clusters({one, one}, {.forget = {0}, .holdout = {1}}).empty());
  EXPECT_TRUE(
      rank_clusters({one, none}, {.name = "x", .forget = {0}, .holdout = {1}, .names = {"a", "b"}})
          .empty());
}

TEST(ClusterRankingTest, VerdictsOnSingleClustersNeedManyInTheHoldoutSet) {
  EXPECT_EQ(holdout_clusters_for_verdicts(20, 0.1), 199);
}

}  // namespace
}  // namespace palimpsest::attack
