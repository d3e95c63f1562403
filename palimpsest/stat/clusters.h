// Clusters say which items belong together. Twenty questions about one author are not twenty
// independent items: a model that knows the answer to one of them is likely to know the others. So
// all inference here counts clusters as the independent units. Independent items are clusters of
// one.
//
//   ScoreClusters{.positives = {0, 0, 1}, .negatives = {2, 1}}   // cluster 1 is in both classes
#pragma once

#include <cstdint>
#include <vector>

#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

// One cluster number per item, in the order of the LabelledScores that belong to it. The numbers 0
// to count() - 1 are used for both classes; a number without items is allowed.
struct ScoreClusters {
  std::vector<int64_t> positives;
  std::vector<int64_t> negatives;

  // The largest cluster number plus one.
  int64_t count() const;
};

// Makes every item its own cluster. The positives get the first numbers.
ScoreClusters independent_items(int64_t positives, int64_t negatives);

// Throws Error unless there is one cluster number per item and none is negative.
void require_matching(const ScoreClusters& clusters, const ScoresView& scores);

// The kind of a cluster, by the classes of its items. Removing a cluster changes the AUC
// differently for each kind, so variances are summed over these strata.
enum class ClusterStratum { kNone, kPositives, kNegatives, kBoth };

// The stratum of each cluster number; kNone for a number without items.
std::vector<ClusterStratum> strata_of(const ScoreClusters& clusters);

// The number of clusters with items of each class. A cluster with items of both classes counts in
// all three.
struct ClusterCounts {
  int64_t positives = 0;
  int64_t negatives = 0;
  int64_t both = 0;
};
ClusterCounts count_clusters(const ScoreClusters& clusters);

// The number of clusters of each class that a study would need.
struct ClusterPlan {
  int64_t positives = 0;
  int64_t negatives = 0;
};

}  // namespace palimpsest::stat
