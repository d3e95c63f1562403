// The uncertainty of a run's numbers, from the values of single examples in its files, by leaving out
// one cluster of examples after the other:
//
//   AUCs            on the logit scale (stat/clustered_auc.h)
//   means           stat/clustered_mean.h; a mean of values in [0, 1] stays there, one of values that
//                   are not negative is not negative
//   model_utility   TOFU's harmonic mean of nine others: each cluster left out of all parts that are
//                   of its data set (retain, real authors, world facts), which are the strata
//   privleak        100·(ref - AUC)/(1 - ref) of mia_min_k, as TOFU and MUSE configure it. The
//                   reference's AUC follows from the two numbers and counts as fixed
//
// Where the values are missing, or do not give the number that was reported, there is no interval.
// Eval computes the same from the same values (eval/metric_intervals.h).
#pragma once

#include <optional>
#include <vector>

#include "palimpsest/report/run_results.h"

namespace palimpsest {

// Of an AUC or a mean.
std::optional<Interval> metric_interval(const RunMetric& metric, double confidence);

// Of model_utility and privleak, made of the other metrics; nullopt for any other.
std::optional<Interval> composite_interval(const RunMetric& metric,
                                           const std::vector<RunMetric>& others, double confidence);

// One number per example of `values`, equal for examples of one cluster. `numbers` goes on over
// several sets: equal names are one cluster; `data` keeps examples apart that belong to none.
std::vector<int64_t> cluster_numbers(const ValueByExample& values, const ClusterByExample& clusters,
                                     const std::string& data,
                                     std::map<std::string, int64_t>& numbers);

}  // namespace palimpsest
