#include "palimpsest/eval/internal/earlier_run.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/keep_file.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/eval/internal/eval_log.h"
#include "palimpsest/eval/internal/result_hash.h"

namespace palimpsest::eval {
namespace {

using Names = std::vector<std::string>;

EvalLog read_old_log(const EvaluatorPlan& plan, EarlierFiles files) {
  std::error_code ignored;
  if (!std::filesystem::exists(plan.file("EVAL"), ignored)) return {};
  try {
    return read_eval_log(plan.file("EVAL"));
  } catch (const Error& error) {
    if (files == EarlierFiles::kRead) return {};
    const KeptFile kept = keep_file(plan.file("EVAL"));
    log_warning("{}; it is not used, but kept as {}", error.what(), kept.path.string());
    return {};
  }
}

// What cannot be known to be of this model, data and configuration is computed anew, and so are
// `changed` results, whose hash is not the one that the record has.
void set_aside(const EvaluatorPlan& plan, const EvalLog& rest, Names changed) {
  if (rest.empty()) return;
  const KeptFile kept = keep_file(plan.file("EVAL"));
  // A run that was killed after it had written its record, but not yet its log, leaves the log of
  // before. It set that aside when it began; nobody changed it.
  if (kept.was_kept_before) changed.clear();
  Names foreign;
  for (const auto& [metric, result] : rest) {
    if (std::ranges::find(changed, metric) == changed.end()) foreign.push_back(metric);
  }
  if (!foreign.empty()) {
    log_warning(
        "{} holds results of another model, other data or another configuration, or of unknown "
        "origin ({}); they are not used, but kept as {}",
        plan.file("EVAL").string(), fmt::join(foreign, ", "), kept.path.string());
  }
  if (!changed.empty()) {
    log_warning(
        "{} was changed after it was written: it does not hold the results of {} that {} records; "
        "they are computed again, and the changed file is kept as {}",
        plan.file("EVAL").string(), fmt::join(changed, ", "), plan.file("RUN").filename().string(),
        kept.path.string());
  }
}

// Moves the results that count out of the log. `fingerprints` are today's, by metric; a metric that
// this run does not know stays as it is. Returns the metrics whose result is not the recorded one.
Names take_finished(RunRecord& before, const std::map<std::string, std::string>& fingerprints,
                    EvalLog& log, EarlierRun& earlier) {
  Names changed;
  for (auto& [metric, finished] : before.metrics) {
    const auto found = log.find(metric);
    const auto today = fingerprints.find(metric);
    const bool is_current = today == fingerprints.end() || today->second == finished.fingerprint;
    if (found == log.end() || !is_current) continue;
    std::string hash = result_hash(found->second);
    if (!finished.result_hash.empty() && finished.result_hash != hash) {
      changed.push_back(metric);
      continue;
    }
    finished.result_hash = std::move(hash);
    MetricResult& result = earlier.log[metric] = std::move(found->second);
    result.examples = finished.examples;
    result.reference = finished.reference;
    if (result.scored) {
      result.scored->name = result.scored->attack = finished.source.attack;
      result.scored->parameters = finished.parameters.value_or(AttackParameters{});
    }
    earlier.record.metrics[metric] = std::move(finished);
    log.erase(found);
  }
  return changed;
}

}  // namespace

EarlierRun load_earlier(const EvaluatorPlan& plan, const RunRecord& now,
                        const std::vector<std::string>& fingerprints, EarlierFiles files) {
  EarlierRun earlier{.record = now};
  if (plan.overwrite) return earlier;
  std::optional<RunRecord> before = read_run_record(plan.file("RUN"));
  EvalLog log = read_old_log(plan, files);
  const bool same_model = before && before->model_fingerprint == now.model_fingerprint &&
                          before->tokenizer_fingerprint == now.tokenizer_fingerprint;
  Names changed;
  if (same_model) {
    earlier.record.passes = std::move(before->passes);
    earlier.record.device = before->device;
    earlier.record.dtype = before->dtype;
    earlier.record.num_parameters = before->num_parameters;
    if (!before->complete) earlier.planned = std::move(before->planned);
    std::map<std::string, std::string> today;
    for (size_t i = 0; i < fingerprints.size(); ++i)
      today.emplace(plan.graph.nodes[i].setting.name, fingerprints[i]);
    changed = take_finished(*before, today, log, earlier);
  }
  if (files == EarlierFiles::kKeep) set_aside(plan, log, std::move(changed));
  return earlier;
}

}  // namespace palimpsest::eval
