// Which authors (clusters) of the forget set does the model know best? Each one's AUC against the
// whole holdout set, highest first. A ranking and no verdict: tested one by one against the same
// holdout set, innocent authors are flagged in most audits, since authors differ by nature. A verdict
// on one author needs a baseline model, or about G/q - 1 holdout authors for G forget authors at a
// false discovery rate q.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/mia/score_columns.h"

namespace palimpsest {

struct RankedCluster {
  std::string name;
  int64_t examples = 0;  // of the forget set, with a score
  double auc = 0;
};

// Empty without clusters or without a score in either set. Equal AUCs stay in the clusters' order.
std::vector<RankedCluster> rank_clusters(const ScoreColumns& scores,
                                         const ExampleClusters& clusters);

// How many holdout clusters a verdict on single ones would need.
int64_t holdout_clusters_for_verdicts(int64_t forget_clusters, double false_discovery_rate);

}  // namespace palimpsest
