// Divides the clusters of an audit into a validation part, on which an attacker makes choices, and
// the rest, on which the choices are measured. Examples that belong together are never divided. A
// choice is a threshold: items that score at least that much are called members.
#pragma once

#include <cstdint>
#include <vector>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/stat/confusion.h"
#include "palimpsest/stat/internal/family_permutation.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::attack {

// Returns for each cluster number whether it is in the validation part. `share` is the share of
// each set's clusters in it, in (0, 1). The result depends only on the clusters, the share and the
// seed.
std::vector<bool> draw_validation_clusters(const ExampleClusters& clusters, double share,
                                           uint64_t seed);

// Returns the items whose clusters are in the validation part, or those of the rest.
stat::ClusteredScores part_of(const stat::ClusteredScores& all,
                              const std::vector<bool>& in_validation, bool validation);

struct MeasuredRates {
  stat::Confusion counts;
  double tpr = 0;
  double fpr = 0;
  stat::Interval tpr_interval;  // over clusters (stat/internal/clustered_rate.h)
  stat::Interval fpr_interval;

  double excess() const { return tpr - fpr; }
};

// What the threshold achieves on these items. Both sets must have items.
MeasuredRates measure_threshold(const stat::ClusteredScores& items, double threshold,
                                double confidence);

}  // namespace palimpsest::attack
