// Effect sizes that are reported beside TOFU's forget quality. The published forget quality is the
// p-value of a Kolmogorov-Smirnov test. The test compares the scores of the evaluated model with
// those of a retain model, which never saw the forget set. It treats every question as independent,
// so with twenty questions per author the p-value is far too small. Moreover, a p-value does not
// measure the size of an effect. So two numbers are added:
//
//   ks_distance       the test statistic: the largest distance between the two distributions
//   mean_difference   the mean over the examples of score(model) - score(retain model), in units of
//                     the score, with a 95% jackknife interval over clusters
//
// Examples are matched by their index. Examples that are missing or undefined in either log do not
// count.
#pragma once

#include <optional>

#include "palimpsest/eval/internal/metric_intervals.h"
#include "palimpsest/eval/run_record.h"

namespace palimpsest::eval {

// Computes both numbers for the metric `node`, whose handler must have tests_distribution set.
// Returns nullopt if there is no retain log or no matching example.
std::optional<ForgetQuality> forget_quality(const MetricGraph& graph, size_t node,
                                            const EvalLog& log, const MetricIntervals& intervals);

// The defined scores of a metric's examples, in order.
std::vector<double> scores_of(const MetricResult& result, const std::string& metric);

}  // namespace palimpsest::eval
