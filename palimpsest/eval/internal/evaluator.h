// Evaluators that are ready to run. An evaluator is a list of metrics with an output folder and a
// name for its files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/eval/evaluation_spec.h"
#include "palimpsest/eval/internal/metric_graph.h"
#include "palimpsest/eval/internal/retain_log.h"

namespace palimpsest::eval {

// An evaluator with its graph of metrics, ready to run.
struct EvaluatorPlan {
  std::string name;  // the prefix of its files: TOFU
  std::filesystem::path output_dir;
  bool overwrite = false;
  InferenceSettings inference;
  // The logs at the evaluator's retain_logs_path; if that is absent, those that its metrics name.
  std::vector<RetainLog> retain_logs;
  MetricGraph graph;
  std::vector<std::string> notes = {};  // of the description and of the retain logs

  std::filesystem::path file(std::string_view suffix) const;  // TOFU_EVAL.json for "EVAL"
  std::vector<std::string> requested() const;
};

// The plans refer to the tables, which must outlive them. Throws Error for an evaluator without
// metrics, for two evaluators that would write the same files, for settings out of range, for a
// retain log that cannot be read, and whenever plan_metrics() throws one.
std::vector<EvaluatorPlan> plan_evaluators(const std::vector<EvaluatorSpec>& evaluators,
                                           const GraphTables& tables);

}  // namespace palimpsest::eval
