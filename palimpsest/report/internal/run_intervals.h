// The uncertainty of a run's numbers, from the values of single examples in its files, by leaving out
// one cluster of examples after the other:
//
//   AUCs            on the logit scale (stat/clustered_auc.h)
//   means           stat/clustered_mean.h; a mean of values in [0, 1] stays there, one of values that
//                   are not negative is not negative
//
// Where the values are missing there is no interval. Eval computes the same from the same values
// (eval/metric_intervals.h) and leaves it in its record, at 95%: these are for audits, for logs without
// a record and for other levels.
#pragma once

#include <optional>
#include <vector>

#include "palimpsest/eval/metric_intervals.h"
#include "palimpsest/report/run_results.h"
#include "palimpsest/stat/clustered_auc.h"

namespace palimpsest::report {

// Of an AUC or a mean.
std::optional<stat::Interval> metric_interval(const RunMetric& metric, double confidence);

// The AUC of an attack's scores over their clusters; nullopt where one of the sets is empty.
std::optional<stat::ClusteredAuc> clustered_auc_of(const RunMetric& metric);

// Of a number that is made of others, whose record says what its interval is drawn from.
stat::Interval spread_interval(double value, const eval::Spread& spread, double confidence);

// The part of an interval that lies in the range of what the number can be.
stat::Interval cut_at(const stat::Interval& interval, const stat::Interval& range);

// One number per example of `values`, equal for examples of one cluster. `numbers` goes on over
// several sets: equal names are one cluster; `data` keeps examples apart that belong to none.
std::vector<int64_t> cluster_numbers(const ValueByExample& values, const ClusterByExample& clusters,
                                     const std::string& data,
                                     std::map<std::string, int64_t>& numbers);

}  // namespace palimpsest::report
