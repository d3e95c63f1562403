// Jackknife replicates: a number that is computed from all data and, for each cluster of examples,
// the same number computed without that cluster. They exist for means, for AUCs and for numbers
// that are computed from these. stat/jackknife.h computes intervals from them. Clusters are divided
// into strata by the files in which they have examples: only the forget set, only the holdout set,
// both, and so on.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>

#include "palimpsest/stat/clustered_auc.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/jackknife.h"

namespace palimpsest::eval {

struct Replicates {
  struct Without {
    double value = 0;    // T_(-g), the value without cluster g
    uint64_t files = 0;  // one bit per file in which the cluster has examples
  };

  double value = 0;  // T, the value for all data
  // Keyed by cluster. A cluster whose removal does not change the value is absent.
  std::map<int64_t, Without> without;
};

// The defined value of an example, with its cluster and the bit of its file.
struct ClusteredValue {
  double value = 0;
  int64_t cluster = 0;
  uint64_t file = 0;
};

// The replicates of a mean. Returns nullopt if there are no values or if one cluster holds all of
// them.
std::optional<Replicates> mean_replicates(std::span<const ClusteredValue> values);

// The replicates of the AUC of the positives against the negatives. Returns nullopt if it has no
// variance (see stat/clustered_auc.h).
std::optional<Replicates> auc_replicates(std::span<const ClusteredValue> positives,
                                         std::span<const ClusteredValue> negatives);

// The 95% interval of that AUC on the logit scale. An AUC of 0 or 1 gets an exact bound instead
// (see stat/clustered_auc.h).
std::optional<stat::Interval> clustered_auc_interval(std::span<const ClusteredValue> positives,
                                                     std::span<const ClusteredValue> negatives);

// The replicates of a function of several numbers. Each cluster is left out of all of them at the
// same time.
Replicates combined(std::span<const Replicates> parts,
                    const std::function<double(std::span<const double>)>& formula);

// The jackknife estimate, which gives an interval at any level. Returns nullopt if a stratum has
// fewer than two clusters or if nothing varies.
std::optional<stat::JackknifeEstimate> jackknife_of(const Replicates& replicates);

// The 95% interval, cut at `range`, the values that the number can take. Returns nullopt if
// jackknife_of() does.
std::optional<stat::Interval> interval_of(const Replicates& replicates,
                                          const stat::Interval& range);

}  // namespace palimpsest::eval
