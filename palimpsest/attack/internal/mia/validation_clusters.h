// Divides the clusters of an audit into a validation part, on which an attacker makes choices, and
// the rest, on which the choices are measured. Examples that belong together are never divided.
#pragma once

#include <cstdint>
#include <vector>

#include "palimpsest/attack/mia/example_clusters.h"

namespace palimpsest::attack {

// Returns for each cluster number whether it is in the validation part. `share` is the share of each
// set's clusters in it, in (0, 1). The result depends only on the clusters, the share and the seed.
std::vector<bool> draw_validation_clusters(const ExampleClusters& clusters, double share,
                                           uint64_t seed);

// Returns the items whose clusters are in the validation part, or those of the rest.
stat::ClusteredScores part_of(const stat::ClusteredScores& all,
                              const std::vector<bool>& in_validation, bool validation);

}  // namespace palimpsest::attack
