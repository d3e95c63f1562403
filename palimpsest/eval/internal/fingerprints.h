// Fingerprints (hashes) of the inputs of an evaluation. A metric need not be computed again if the
// record of an earlier run has the same fingerprint.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "palimpsest/eval/internal/evaluator_run.h"
#include "palimpsest/eval/internal/metric_graph.h"
#include "palimpsest/run/internal/lazy_model.h"

namespace palimpsest::eval {

// The reference models by their names in the configuration. Each model is found once, and its files
// are read once for its fingerprint.
class ReferenceModels {
 public:
  explicit ReferenceModels(const EvaluatorRunContext& context) : context_(context) {}

  run::LazyModel& get(const std::string& name);

 private:
  const EvaluatorRunContext& context_;
  std::map<std::string, run::LazyModel> models_;
};

// The fingerprints of data sets, keyed by DatasetPlan::key.
using DataFingerprints = std::map<std::string, std::string>;
DataFingerprints data_fingerprints(const DataStore& store);

// Fingerprints of everything that determines the result of a metric: model, tokenizer, data, its
// own configuration, its reference model and reference logs, and the metrics that it needs. Returns
// one per node, in the same order.
std::vector<std::string> metric_fingerprints(const MetricGraph& graph, const DataFingerprints& data,
                                             const EvaluatorRunContext& context,
                                             ReferenceModels& references);

}  // namespace palimpsest::eval
