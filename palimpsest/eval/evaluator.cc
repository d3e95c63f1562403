#include "palimpsest/eval/evaluator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "palimpsest/base/error.h"
#include "palimpsest/eval/attack_family.h"

namespace palimpsest::eval {
namespace {

std::string in_capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

const EvaluatorKind& find_kind(const EvaluatorTable& table, const config::Value& handler) {
  std::vector<std::string> known;
  for (const EvaluatorKind& kind : table) {
    if (kind.handler == handler.as_text()) {
      if (kind.instead.empty()) return kind;
      throw Error({.what = fmt::format("the evaluator '{}' is not offered", kind.handler),
                   .where = handler.where(),
                   .hint = kind.instead});
    }
    if (kind.instead.empty()) known.push_back(kind.handler);
  }
  throw Error({.what = fmt::format("there is no evaluator '{}'", handler.as_text()),
               .where = handler.where(),
               .expected = fmt::format("one of {}", fmt::join(known, ", "))});
}

EvaluatorPlan read_evaluator(const std::string& key, const config::Value& evaluator,
                             const EvaluatorTable& table, const GraphTables& tables) {
  const EvaluatorKind& kind = find_kind(table, evaluator.at("handler"));
  EvaluatorPlan plan{.name = kind.name.empty() ? in_capitals(key) : kind.name};
  const config::Value& output = evaluator.at("output_dir");
  require_no_missing_values(output);
  plan.output_dir = output.as_text();
  if (plan.output_dir.empty()) {
    throw Error({.what = "the output folder has no name", .where = output.where()});
  }
  if (const config::Value* overwrite = evaluator.find_set("overwrite")) {
    plan.overwrite = overwrite->as_bool();
  }
  plan.inference = read_inference_settings(evaluator);
  GraphTables with_clusters = tables;
  with_clusters.clusters = plan.inference.clusters;
  plan.graph = read_metrics(evaluator.at("metrics"), with_clusters);
  if (plan.inference.retain_logs.empty()) plan.inference.retain_logs = plan.graph.retain_logs;
  try {
    require_primary(plan.graph, plan.inference);
    for (const std::string& path : plan.inference.retain_logs) {
      plan.retain_logs.push_back(read_retain_log(path));
    }
  } catch (const Error& error) {
    throw error.located(evaluator.where());
  }
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

std::vector<EvaluatorPlan> read_evaluators(const config::Value& evals, const EvaluatorTable& table,
                                           const GraphTables& tables) {
  std::vector<EvaluatorPlan> plans;
  for (const auto& [key, evaluator] : evals.as_map()) {
    if (evaluator.is_null()) continue;
    EvaluatorPlan plan = read_evaluator(key, evaluator, table, tables);
    for (const EvaluatorPlan& other : plans) {
      if (other.file("EVAL").lexically_normal() != plan.file("EVAL").lexically_normal()) continue;
      throw Error({.what = fmt::format("two evaluators would write {}", plan.file("EVAL").string()),
                   .where = evaluator.where(),
                   .hint = "give them different output folders"});
    }
    plans.push_back(std::move(plan));
  }
  if (plans.empty()) {
    throw Error({.what = "there is no evaluator to run",
                 .where = evals.where(),
                 .hint = "choose a benchmark: eval=tofu or eval=muse"});
  }
  return plans;
}

}  // namespace palimpsest::eval
