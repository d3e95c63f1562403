// Evaluators: the benchmarks that a configuration may name under eval. Each is a list of metrics, an
// output folder and a name for its files; a row each in one table, which is a value.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/config/value.h"
#include "palimpsest/eval/inference_settings.h"
#include "palimpsest/eval/metric_graph.h"
#include "palimpsest/eval/retain_log.h"

namespace palimpsest::eval {

struct EvaluatorKind {
  std::string handler;       // in the configuration: TOFUEvaluator
  std::string name;          // of the files: TOFU; empty: the evaluator's own key in capitals
  std::string about;         // one line for `palimpsest list evaluators`
  std::string instead = {};  // not empty: not offered, and what to use
};

using EvaluatorTable = std::vector<EvaluatorKind>;
const EvaluatorTable& default_evaluator_table();

// An evaluator as it is configured.
struct EvaluatorPlan {
  std::string name;  // TOFU
  std::filesystem::path output_dir;
  bool overwrite = false;
  InferenceSettings inference;
  // retain_logs_path of the evaluator, else that of its metrics.
  std::vector<RetainLog> retain_logs;
  MetricGraph graph;

  std::filesystem::path file(std::string_view suffix) const;  // TOFU_EVAL.json for "EVAL"
  std::vector<std::string> requested() const;
};

// `evals` maps keys (tofu) to evaluators. Throws Error for unknown or unavailable ones, for two that
// would write the same files, for a retain log that cannot be read, and for whatever read_metrics() and
// read_inference_settings() refuse.
std::vector<EvaluatorPlan> read_evaluators(const config::Value& evals, const EvaluatorTable& table,
                                           const GraphTables& tables);

}  // namespace palimpsest::eval
