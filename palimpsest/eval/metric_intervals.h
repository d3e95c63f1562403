// The uncertainty of an evaluator's numbers, from the values of single examples in its log, by leaving
// out one cluster of examples after the other (replicates.h):
//
//   means              interval of the mean
//   attacks            interval of the AUC on the logit scale (stat/clustered_auc.h)
//   model utility      each cluster left out of all parts that it has examples in
//   privleak, rel_diff the cluster left out of the model's value and, where the retain log has the
//                      same examples, of the retain model's; else that model's value counts as fixed
//
// The same values give the same intervals, computed now or read from a log.
#pragma once

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

class MetricIntervals {
 public:
  // All must outlive this.
  MetricIntervals(const MetricGraph& graph, const DataClusters& clusters, const EvalLog& log)
      : graph_(graph), clusters_(clusters), log_(log) {}

  // 95%; nullopt where it is undefined or the handler offers none.
  std::optional<Interval> interval(size_t node);

  // The defined values with their clusters; nullopt if an example is unknown to the data set.
  std::optional<std::vector<ClusteredValue>> clustered(const DatasetSpec& spec,
                                                       const MetricResult& result,
                                                       std::span<const Number> values) const;

 private:
  struct Estimate {
    Replicates replicates;
    Interval range;  // of what the number can be
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
