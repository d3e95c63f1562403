// A rate where items come in clusters: which share of them is recognised. Twenty items of one
// author that are all recognised say less than twenty of twenty authors.
//
//   deff  = V / (p(1 - p)/(n - 1)), at least 1;  V: variance of the share by leaving out one cluster
//           after the other
//   n_eff = n/deff · (t_{1-α/2, n-1} / t_{1-α/2, G-1})²
//   interval: Clopper and Pearson's for p·n_eff successes in n_eff trials (Korn and Graubard 1998)
//
// The last factor pays for the variance being estimated from G clusters. Clusters of one give
// Clopper and Pearson's interval, exactly.
//
// Degenerate cases: a share of 0 or 1 has no variance, so the design effect of something alike is
// taken where the caller has one; else every cluster is worth one item. So is a single cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "palimpsest/stat/interval.h"

namespace palimpsest::stat {

// One flag per item, and the number of its cluster, from 0; a number without items is allowed.
struct ClusteredFlags {
  std::vector<bool> flags;
  std::vector<int64_t> clusters;
};

// deff of the share of items whose flag is set; exactly 1 for clusters of one, and the number of
// items where one cluster holds all of them. nullopt where the share is 0 or 1.
std::optional<double> share_design_effect(const ClusteredFlags& items);

// `elsewhere`: the design effect to take where the share is 0 or 1. Throws Error without items,
// unless there is one cluster number per item, or for a confidence outside (0, 1).
Interval clustered_rate_interval(const ClusteredFlags& items, double confidence,
                                 std::optional<double> elsewhere = std::nullopt);

}  // namespace palimpsest::stat
