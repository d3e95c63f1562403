#include "palimpsest/eval/internal/evaluator.h"

#include <fmt/format.h>

#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/output_lock.h"
#include "palimpsest/base/log.h"
#include "palimpsest/eval/internal/attack_family.h"
#include "palimpsest/eval/read_evaluation.h"

namespace palimpsest::eval {
namespace {

EvaluatorPlan plan_evaluator(const EvaluatorSpec& spec, const GraphTables& tables) {
  EvaluatorPlan plan{.name = spec.name,
                     .output_dir = spec.output_dir,
                     .overwrite = spec.overwrite,
                     .inference = spec.inference,
                     .notes = spec.notes};
  GraphTables with_clusters = tables;
  with_clusters.clusters = plan.inference.clusters;
  plan.graph = plan_metrics(spec.metrics, with_clusters);
  if (plan.graph.nodes.empty()) {
    throw Error({.what = "there is no metric to compute", .where = spec.where});
  }
  if (plan.inference.retain_logs.empty()) plan.inference.retain_logs = plan.graph.retain_logs;
  const WarningCapture capture;
  try {
    require_valid(plan.inference);
    require_primary(plan.graph, plan.inference);
    for (const std::string& path : plan.inference.retain_logs) {
      plan.retain_logs.push_back(read_retain_log(path));
    }
  } catch (const Error& error) {
    throw error.located(spec.where);
  }
  plan.notes.insert(plan.notes.end(), capture.warnings().begin(), capture.warnings().end());
  return plan;
}

}  // namespace

const EvaluatorTable& default_evaluator_table() {
  static const EvaluatorTable table = {
      {.handler = "TOFUEvaluator",
       .name = "TOFU",
       .about = "fictitious authors (Maini et al. 2024)"},
      {.handler = "MUSEEvaluator", .name = "MUSE", .about = "news and books (Shi et al. 2024)"},
      {.handler = "Evaluator", .name = "", .about = "any list of metrics; named by its key"},
      {.handler = "LMEvalEvaluator",
       .name = "LMEval",
       .about = "tasks of lm-evaluation-harness",
       .instead =
           "run those tasks with lm-evaluation-harness itself (lm_eval --model hf --tasks …), "
           "or, for multiple-choice files such as WMDP and MMLU, take the handler Evaluator "
           "with a metric whose handler is multiple_choice"},
  };
  return table;
}

std::filesystem::path EvaluatorPlan::file(std::string_view suffix) const {
  return output_dir / fmt::format("{}_{}.json", name, suffix);
}

std::vector<std::string> EvaluatorPlan::requested() const {
  std::vector<std::string> names;
  for (const MetricNode& node : graph.nodes) {
    if (node.requested) names.push_back(node.setting.name);
  }
  return names;
}

std::vector<EvaluatorPlan> plan_evaluators(const std::vector<EvaluatorSpec>& evaluators,
                                           const GraphTables& tables) {
  std::vector<EvaluatorPlan> plans;
  for (const EvaluatorSpec& spec : evaluators) {
    EvaluatorPlan plan = plan_evaluator(spec, tables);
    for (const EvaluatorPlan& other : plans) {
      if (real_output_path(other.file("EVAL")) != real_output_path(plan.file("EVAL"))) continue;
      throw Error({.what = fmt::format("two evaluators would write {}", plan.file("EVAL").string()),
                   .where = spec.where,
                   .hint = "give them different output folders"});
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace palimpsest::eval
