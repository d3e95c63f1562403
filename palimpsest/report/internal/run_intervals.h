// Confidence intervals for a run's numbers, from the values of single examples in its files. They
// leave out one cluster of examples at a time:
//
//   AUCs            on the logit scale (stat/clustered_auc.h)
//   means           by stat/clustered_mean.h; the interval is cut at [0, 1] if all values are in
//                   [0, 1], and at 0 if no value is negative
//
// If there are no values, there is no interval. `eval` computes the same intervals from the same
// values (eval/internal/metric_intervals.h) and stores them in its record, at 95%. The functions
// here serve audits, logs without a record, and other confidence levels.
#pragma once

#include <optional>
#include <vector>

#include "palimpsest/eval/internal/metric_intervals.h"
#include "palimpsest/report/run_results.h"
#include "palimpsest/stat/clustered_auc.h"

namespace palimpsest::report {

// The interval of an AUC or a mean.
std::optional<stat::Interval> metric_interval(const RunMetric& metric, double confidence);

// The scores of an attack as scores_by_key(), but high for members (attack/mia/score_columns.h).
ValueByExample flipped_by_key(const attack::SetScores& set);

// The AUC of an attack's scores over their clusters; nullopt if one of the sets is empty.
std::optional<stat::ClusteredAuc> clustered_auc_of(const RunMetric& metric);

// The interval of a number that is computed from other numbers, from the spread in its record.
stat::Interval spread_interval(double value, const eval::Spread& spread, double confidence);

// One number per example of `values`, equal for examples of the same cluster. `numbers` may be
// shared by several sets, so that equal names are one cluster. `data` distinguishes examples
// without a cluster in different data sets.
std::vector<int64_t> cluster_numbers(const ValueByExample& values, const ClusterByExample& clusters,
                                     const std::string& data,
                                     std::map<std::string, int64_t>& numbers);

}  // namespace palimpsest::report
