#include "palimpsest/attack/internal/mia/cluster_ranking.h"

#include <algorithm>
#include <cmath>

#include "palimpsest/attack/internal/mia/form_clusters.h"
#include "palimpsest/stat/auc.h"

namespace palimpsest::attack {

std::vector<RankedCluster> rank_clusters(const ScoreColumns& scores,
                                         const ExampleClusters& clusters) {
  if (!clusters.is_given()) return {};
  const stat::ClusteredScores scored = to_clustered(scores, clusters);
  if (!scored.scores.has_both_classes()) return {};
  std::vector<RankedCluster> ranked(clusters.names.size());
  for (size_t g = 0; g < ranked.size(); ++g) ranked[g].name = clusters.names[g];
  const std::vector<int64_t> placements =
      stat::doubled_placements(scored.scores.positives, scored.scores.negatives);
  for (size_t i = 0; i < placements.size(); ++i) {
    RankedCluster& cluster = ranked[static_cast<size_t>(scored.clusters.positives[i])];
    ++cluster.examples;
    cluster.auc += static_cast<double>(placements[i]);
  }
  std::erase_if(ranked, [](const RankedCluster& cluster) { return cluster.examples == 0; });
  const auto negatives = static_cast<double>(scored.scores.negative_count());
  for (RankedCluster& cluster : ranked)
    cluster.auc /= 2 * negatives * static_cast<double>(cluster.examples);
  std::ranges::stable_sort(ranked, std::ranges::greater(), &RankedCluster::auc);
  return ranked;
}

int64_t holdout_clusters_for_verdicts(int64_t forget_clusters, double false_discovery_rate) {
  return static_cast<int64_t>(
      std::ceil(static_cast<double>(forget_clusters) / false_discovery_rate - 1 - 1e-9));
}

}  // namespace palimpsest::attack
