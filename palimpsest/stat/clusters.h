// Which items belong together. Twenty questions about one author are not twenty independent items:
// what makes the model know one of them makes it know the others. The unit of independence is the
// cluster, and every inference here counts clusters. Items that are independent are clusters of one.
//
//   ScoreClusters{.positives = {0, 0, 1}, .negatives = {2, 1}}   // cluster 1 is in both classes
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

// One cluster number per item, in the order of the LabelledScores that it goes with. Numbers count
// from 0 up to count() - 1 over both classes; a number without any item is allowed.
struct ScoreClusters {
  std::vector<int64_t> positives;
  std::vector<int64_t> negatives;

  // One more than the largest number.
  int64_t count() const;
};

// Every item is a cluster of its own: the positives first.
ScoreClusters independent_items(int64_t positives, int64_t negatives);

// Throws Error unless there is one number per item and none is negative.
void require_matching(const ScoreClusters& clusters, const LabelledScores& scores);

// The three kinds of clusters. Removing a cluster moves the AUC differently in each, so variances
// are summed over these strata.
enum class ClusterStratum { kNone, kPositives, kNegatives, kBoth };

// One per cluster; kNone for a number without items.
std::vector<ClusterStratum> strata_of(const ScoreClusters& clusters);

// How many clusters have items of each class; a cluster in both counts for both.
struct ClusterCounts {
  int64_t positives = 0;
  int64_t negatives = 0;
  int64_t both = 0;
};
ClusterCounts count_clusters(const ScoreClusters& clusters);

}  // namespace palimpsest::stat
