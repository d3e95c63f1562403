// A rate of items that come in clusters, such as the share of items that are recognised. Twenty
// recognised items of one author say less than twenty of twenty authors. p is the share, n the
// number of items, and G the number of clusters:
//
//   deff  = V / (p(1 - p)/(n - 1)), at least 1; V is the variance of the share by leaving out one
//           cluster at a time
//   n_eff = n/deff · (t_{1-α/2, n-1} / t_{1-α/2, G-1})²
//   interval: that of Clopper and Pearson for p·n_eff successes in n_eff trials (Korn and Graubard
//           1998)
//
// The last factor in n_eff accounts for the variance being estimated from only G clusters. For
// clusters of one item, the interval is exactly that of Clopper and Pearson.
//
// Degenerate cases: a share of 0 or 1 has no variance. Then the design effect of a similar share is
// used, if the caller has one; otherwise every cluster counts as one item. A single cluster also
// counts as one item.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "palimpsest/stat/interval.h"

namespace palimpsest::stat {

// One flag per item, and the number of its cluster, from 0. A number without items is allowed.
struct ClusteredFlags {
  std::vector<bool> flags;
  std::vector<int64_t> clusters;
};

// The design effect of the share of items whose flag is set. It is exactly 1 for clusters of one
// item, and the number of items if one cluster holds all of them. Returns nullopt if the share is 0
// or 1.
std::optional<double> share_design_effect(const ClusteredFlags& items);

// `elsewhere` is the design effect to use if the share is 0 or 1. Throws Error if there are no
// items, unless there is one cluster number per item, or for a confidence outside (0, 1).
Interval clustered_rate_interval(const ClusteredFlags& items, double confidence,
                                 std::optional<double> elsewhere = std::nullopt);

}  // namespace palimpsest::stat
