// Computes the uncertainty of an evaluator's numbers from the values of single examples in its log.
// One cluster of examples after the other is left out (replicates.h):
//
//   means              interval of the mean
//   attacks            interval of the AUC on the logit scale (stat/clustered_auc.h)
//   model utility      each cluster left out of all parts that it has examples in
//   privleak, rel_diff the cluster left out of the model's value and, where the retain log has the
//                      same examples, of the retain model's; else that model's value counts as fixed
//
// The same values give the same intervals, computed now or read from a log.
#pragma once

#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/eval/data_clusters.h"
#include "palimpsest/eval/eval_log.h"
#include "palimpsest/eval/metric_graph.h"
#include "palimpsest/eval/replicates.h"

namespace palimpsest::eval {

// The numbers from which the interval of a metric that is computed from other metrics follows at
// any level: agg_value ± t(degrees_of_freedom) · √variance, cut at `range`, the values that the
// number can take.
struct Spread {
  double variance = 0;
  double degrees_of_freedom = 0;
  stat::Interval range = {};

  friend bool operator==(const Spread&, const Spread&) = default;
};

// Whether an interval can be computed from a spread with these values. Values that were read from a
// file may be invalid.
inline bool is_valid_spread(double variance, double degrees_of_freedom) {
  return std::isfinite(variance) && variance >= 0 && degrees_of_freedom > 0;
}

class MetricIntervals {
 public:
  // All arguments must outlive this object.
  MetricIntervals(const MetricGraph& graph, const DataClusters& clusters, const EvalLog& log)
      : graph_(graph), clusters_(clusters), log_(log) {}

  // 95%; nullopt where it is undefined or the handler offers none.
  std::optional<stat::Interval> interval(size_t node);

  // The spread of a metric that is computed from other metrics. Returns nullopt if there is no
  // interval, and for all other metrics, whose intervals follow from the values of their examples.
  std::optional<Spread> spread(size_t node);

  // The defined values with their clusters; nullopt if an example is unknown to the data set.
  std::optional<std::vector<ClusteredValue>> clustered(const DatasetPlan& spec,
                                                       const MetricResult& result,
                                                       std::span<const Number> values) const;

 private:
  struct Estimate {
    Replicates replicates;
    stat::Interval range;  // of what the number can be
  };

  const std::optional<Estimate>& estimate(size_t node);
  std::optional<Estimate> estimate_anew(size_t node);
  std::optional<Estimate> estimate_of(size_t node, const MetricResult& result) const;
  std::optional<Estimate> comparison(size_t node);
  std::optional<std::vector<ClusteredValue>> scores(const MetricNode& node,
                                                    const MetricResult& result,
                                                    const std::string& part) const;

  const MetricGraph& graph_;
  const DataClusters& clusters_;
  const EvalLog& log_;
  std::map<size_t, std::optional<Estimate>> known_;
};

}  // namespace palimpsest::eval
