// Fingerprints of what an evaluation is made of: a metric whose fingerprint is the one in the record of
// an earlier run need not be computed again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "palimpsest/eval/internal/evaluator_run.h"
#include "palimpsest/eval/metric_graph.h"
#include "palimpsest/run/lazy_model.h"

namespace palimpsest::eval {

// The reference models by the names that the configuration gives them: each is found, and its files
// are read for its fingerprint, once.
class ReferenceModels {
 public:
  explicit ReferenceModels(const EvaluatorRunContext& context) : context_(context) {}

  run::LazyModel& get(const std::string& name);

 private:
  const EvaluatorRunContext& context_;
  std::map<std::string, run::LazyModel> models_;
};

// By DatasetPlan::key.
using DataFingerprints = std::map<std::string, std::string>;
DataFingerprints data_fingerprints(const DataStore& store);

// Of everything that decides a metric's result: model, tokenizer, data, its own configuration, the
// reference model and the logs that it refers to, and the metrics before it. One per node, in their
// order.
std::vector<std::string> metric_fingerprints(const MetricGraph& graph, const DataFingerprints& data,
                                             const EvaluatorRunContext& context,
                                             ReferenceModels& references);

}  // namespace palimpsest::eval
