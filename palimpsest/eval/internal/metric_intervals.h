// Computes confidence intervals for an evaluator's results from the values of the individual
// examples in its log. All of them are jackknife intervals, which leave out one cluster of examples
// at a time (replicates.h). For each kind of metric, the cluster is left out of the following
// numbers:
//
//   means              the mean
//   attacks            the AUC; the interval is on the logit scale (stat/clustered_auc.h)
//   model utility      all parts in which the cluster has examples
//   privleak, rel_diff the model's value and, if the retain log has the same examples, the retain
//                      model's value, which otherwise counts as fixed
//
// The same values give the same intervals, whether they were just computed or read from a log.
#pragma once

#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/eval/internal/data_clusters.h"
#include "palimpsest/eval/internal/metric_graph.h"
#include "palimpsest/eval/internal/replicates.h"
#include "palimpsest/eval/run_record.h"

namespace palimpsest::eval {

// Whether these values give an interval. Values from a file may be invalid.
inline bool is_valid_spread(double variance, double degrees_of_freedom) {
  return std::isfinite(variance) && variance >= 0 && degrees_of_freedom > 0;
}

class MetricIntervals {
 public:
  // All arguments must outlive this object.
  MetricIntervals(const MetricGraph& graph, const DataClusters& clusters, const EvalLog& log)
      : graph_(graph), clusters_(clusters), log_(log) {}

  // The 95% interval. Returns nullopt if it is undefined or if the handler does not define one.
  std::optional<stat::Interval> interval(size_t node);

  // The spread of a metric that is computed from other metrics. Returns nullopt if it has no
  // interval. Also returns nullopt for all other metrics, because their intervals follow from the
  // values of their examples.
  std::optional<Spread> spread(size_t node);

  // For readers of the intervals that were asked for: which values a retain log lacks.
  const std::vector<std::string>& notes() const { return notes_; }

  // The defined values with their clusters. There is one value per example, which its key names.
  // Returns nullopt if an example is not in the data set.
  std::optional<std::vector<ClusteredValue>> clustered(const DatasetPlan& spec,
                                                       std::span<const std::string> examples,
                                                       std::span<const Number> values) const;

 private:
  struct Estimate {
    Replicates replicates;
    stat::Interval range;  // the values that the number can take
  };

  const std::optional<Estimate>& estimate(size_t node);
  std::optional<Estimate> compute_estimate(size_t node);
  std::optional<Estimate> estimate_of(size_t node, const MetricResult& result) const;
  std::optional<Estimate> comparison(size_t node);
  std::set<std::string> defined_values(size_t node, const MetricResult& result) const;
  void note_missing_values(size_t node, size_t compared, const MetricResult& retain, bool is_exact);
  std::optional<std::vector<ClusteredValue>> scores(const MetricNode& node,
                                                    const MetricResult& result,
                                                    const std::string& set) const;

  const MetricGraph& graph_;
  const DataClusters& clusters_;
  const EvalLog& log_;
  std::map<size_t, std::optional<Estimate>> known_;
  std::vector<std::string> notes_;
};

}  // namespace palimpsest::eval
