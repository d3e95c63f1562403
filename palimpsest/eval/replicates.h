// A number and what it becomes where one cluster of examples is left out, for means, AUCs and whatever
// is made of them: what stat/jackknife.h draws intervals from. Strata are the files that a cluster has
// examples in: those of the forget set, of the holdout set, of both, …
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "palimpsest/eval/metric_result.h"
#include "palimpsest/stat/clustered_auc.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::eval {

struct Replicates {
  struct Without {
    double value = 0;    // T_(-g)
    uint64_t files = 0;  // that the cluster has examples in, one bit each
  };

  double value = 0;                    // T
  std::map<int64_t, Without> without;  // by cluster; a cluster that changes nothing is absent
};

// An example's value, where it is defined, and its place.
struct ClusteredValue {
  double value = 0;
  int64_t cluster = 0;
  uint64_t file = 0;
};

// The mean. nullopt without values, or where one cluster holds all of them.
std::optional<Replicates> mean_replicates(std::span<const ClusteredValue> values);

// The AUC of the positives against the negatives. nullopt where it has no variance (see
// stat/clustered_auc.h).
std::optional<Replicates> auc_replicates(std::span<const ClusteredValue> positives,
                                         std::span<const ClusteredValue> negatives);

// The 95% interval of that AUC, on the logit scale; exact where the AUC is 0 or 1.
std::optional<Interval> clustered_auc_interval(std::span<const ClusteredValue> positives,
                                               std::span<const ClusteredValue> negatives);

// A function of several numbers, each cluster left out of all of them at once.
Replicates combined(std::span<const Replicates> parts,
                    const std::function<double(std::span<const double>)>& formula);

// The 95% interval, cut at the bounds of what the number can be. nullopt where a stratum has fewer than
// two clusters or nothing varies.
std::optional<Interval> interval_of(const Replicates& replicates, const Interval& range);

}  // namespace palimpsest::eval
