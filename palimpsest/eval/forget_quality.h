// What stands beside TOFU's forget quality. Its definition, kept as published, is the p-value of a
// Kolmogorov-Smirnov test, which takes every question for independent: with twenty questions per
// author it is far too small, and a p-value is no size of an effect anyway. Beside it:
//
//   ks_distance       the largest distance between the two distributions of scores (the statistic)
//   mean_difference   mean over the examples of score(model) - score(retain model), raw (not in units
//                     of a standard deviation), with a 95% jackknife interval over clusters
//
// Examples are matched by index; those that either log lacks or leaves undefined do not count.
#pragma once

#include <cstdint>
#include <optional>

#include "palimpsest/eval/metric_intervals.h"

namespace palimpsest::eval {

struct ForgetQuality {
  double ks_distance = 0;
  double mean_difference = 0;
  std::optional<Interval> interval;  // of the mean difference
  int64_t examples = 0;              // that both have

  friend bool operator==(const ForgetQuality&, const ForgetQuality&) = default;
};

// Of the metric `node`, whose handler tests_distribution. nullopt without a retain log or matching
// examples.
std::optional<ForgetQuality> forget_quality(const MetricGraph& graph, size_t node,
                                            const EvalLog& log, const MetricIntervals& intervals);

// The defined scores of a metric's examples, in order.
std::vector<double> scores_of(const MetricResult& result, const std::string& metric);

}  // namespace palimpsest::eval
