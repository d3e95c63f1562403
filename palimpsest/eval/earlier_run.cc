#include "palimpsest/eval/internal/earlier_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <system_error>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/log_format.h"

namespace palimpsest::eval {
namespace {

std::filesystem::path old_log(const EvaluatorPlan& plan) {
  return plan.file("EVAL").string() + ".old";
}

void keep_old_log(const EvaluatorPlan& plan) {
  std::error_code ignored;
  std::filesystem::copy_file(plan.file("EVAL"), old_log(plan),
                             std::filesystem::copy_options::overwrite_existing, ignored);
}

EvalLog read_old_log(const EvaluatorPlan& plan) {
  std::error_code ignored;
  if (!std::filesystem::exists(plan.file("EVAL"), ignored)) return {};
  try {
    return read_eval_log(plan.file("EVAL"));
  } catch (const Error& error) {
    log_warning("{}; it is not used, but kept as {}", error.what(), old_log(plan).string());
    keep_old_log(plan);
    return {};
  }
}

// What cannot be known to be of this model, data and configuration is computed anew.
void set_aside(const EvaluatorPlan& plan, const EvalLog& rest) {
  if (rest.empty()) return;
  std::vector<std::string> names;
  for (const auto& [metric, result] : rest) names.push_back(metric);
  log_warning(
      "{} holds results of another model, other data or another configuration, or of unknown "
      "origin ({}); they are not used, but kept as {}",
      plan.file("EVAL").string(), fmt::join(names, ", "), old_log(plan).string());
  keep_old_log(plan);
}

// A metric that this run does not know stays as it is.
bool is_current(const EvaluatorPlan& plan, const std::vector<std::string>& fingerprints,
                const std::string& metric, const MetricRecord& finished) {
  for (size_t i = 0; i < fingerprints.size(); ++i) {
    if (plan.graph.nodes[i].setting.name == metric) return fingerprints[i] == finished.fingerprint;
  }
  return true;
}

}  // namespace

EarlierRun load_earlier(const EvaluatorPlan& plan, const RunRecord& now,
                        const std::vector<std::string>& fingerprints) {
  EarlierRun earlier;
  if (plan.overwrite) return earlier;
  std::optional<RunRecord> before = read_run_record(plan.file("RUN"));
  EvalLog log = read_old_log(plan);
  const bool same_model = before && before->model_fingerprint == now.model_fingerprint &&
                          before->tokenizer_fingerprint == now.tokenizer_fingerprint;
  if (same_model) {
    earlier.passes = std::move(before->passes);
    earlier.device = before->device;
    earlier.dtype = before->dtype;
    earlier.parameters = before->parameters;
    if (!before->complete) earlier.planned = std::move(before->planned);
    for (auto& [metric, finished] : before->metrics) {
      const auto found = log.find(metric);
      if (found == log.end() || !is_current(plan, fingerprints, metric, finished)) continue;
      MetricResult& result = earlier.log[metric] = std::move(found->second);
      result.interval = finished.interval;
      result.examples = finished.examples;
      result.reference_parts = finished.reference_parts;
      earlier.metrics[metric] = std::move(finished);
      log.erase(found);
    }
  }
  set_aside(plan, log);
  return earlier;
}

}  // namespace palimpsest::eval
