// Which authors (clusters) of the forget set does the model know best? Lists the AUC of each
// cluster against the whole holdout set, highest first. This is a ranking, not a verdict: authors
// differ by nature, so testing each of them against the same holdout set would flag forgotten
// authors in most audits. A verdict on one author needs a baseline model, or about G/q - 1 holdout
// authors for G forget authors at a false discovery rate q.
#pragma once

#include <cstdint>
#include <vector>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/mia/findings.h"
#include "palimpsest/attack/mia/score_columns.h"

namespace palimpsest::attack {

// Empty if there are no clusters, or if a set has no scores. Clusters with equal AUCs keep their
// order.
std::vector<RankedCluster> rank_clusters(const ScoreColumns& scores,
                                         const ExampleClusters& clusters);

// The number of holdout clusters that verdicts on single forget clusters would need.
int64_t holdout_clusters_for_verdicts(int64_t forget_clusters, double false_discovery_rate);

}  // namespace palimpsest::attack
