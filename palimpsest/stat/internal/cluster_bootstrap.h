// The bootstrap of the AUC for items that come in clusters. Whole clusters are drawn, each from its
// own stratum, and the interval is BCa (bootstrap.h). With few clusters the interval is too narrow:
// with 5 per class it covers 81 to 88% instead of 95%, with 20 per class 91 to 95%. So it is meant
// for 50 or more; the jackknife of clustered_auc.h works for any number.
#pragma once

#include <optional>

#include "palimpsest/stat/bootstrap.h"
#include "palimpsest/stat/clusters.h"

namespace palimpsest::stat {

// Returns nullopt if clustered_auc() does, or if the AUC is 0 or 1. For clusters of one item the
// result is that of bootstrap_auc().
std::optional<BootstrapEstimate> bootstrap_clustered_auc(const ScoresView& scores,
                                                         const ScoreClusters& clusters,
                                                         const BootstrapOptions& options);

}  // namespace palimpsest::stat
