#include "palimpsest/eval/internal/retain_log.h"

#include <fmt/format.h>

#include "palimpsest/attack/scored_attack.h"
#include "palimpsest/base/error.h"
#include "palimpsest/eval/internal/eval_log.h"
#include "palimpsest/eval/internal/mia_metric.h"
#include "palimpsest/eval/internal/result_hash.h"

namespace palimpsest::eval {
namespace {

std::filesystem::path record_beside(const std::string& path) {
  constexpr std::string_view kSuffix = "_EVAL.json";
  if (!path.ends_with(kSuffix)) return {};
  return path.substr(0, path.size() - kSuffix.size()) + "_RUN.json";
}

// A log that was edited or damaged must not become the yardstick of another model.
void require_unchanged(const RetainLog& log) {
  for (const auto& [name, recorded] : log.record->metrics) {
    const auto found = log.metrics.find(name);
    if (found == log.metrics.end() || recorded.result_hash.empty()) continue;
    if (result_hash(found->second) == recorded.result_hash) continue;
    throw Error({.what = fmt::format("the result of {} is not the one that {} records: the log "
                                     "was changed after it was written",
                                     name, record_beside(log.path).filename().string()),
                 .where = log.path,
                 .hint = "evaluate that model again with `palimpsest eval`"});
  }
}

const MetricResult* with_scores(const RetainLog& log, const std::string& metric) {
  const auto found = log.metrics.find(metric);
  return found != log.metrics.end() && found->second.scored ? &found->second : nullptr;
}

// Empty if there is no record, or if it does not say.
std::string recorded_handler(const RetainLog& log, const std::string& metric) {
  if (!log.record) return {};
  const auto found = log.record->metrics.find(metric);
  return found != log.record->metrics.end() ? found->second.handler : std::string();
}

}  // namespace

RetainLog read_retain_log(const std::string& path) {
  RetainLog log{.path = path, .metrics = read_eval_log(path), .record = {}};
  const std::filesystem::path record = record_beside(path);
  if (!record.empty()) log.record = read_run_record(record);
  if (log.record) require_unchanged(log);
  return log;
}

const MetricResult* find_attack(const RetainLog& log, const AttackIdentity& attack,
                                std::string& note) {
  std::string why = fmt::format("has no scores of {} for single examples", attack.metric);
  bool checked = false;
  if (log.record) {
    for (const auto& [name, metric] : log.record->metrics) {
      if (metric.handler != attack.handler || !metric.parameters) continue;
      checked = true;
      if (*metric.parameters != attack.parameters) {
        why = fmt::format("has {} where {} is evaluated",
                          attack::with_parameters(name, *metric.parameters),
                          attack::with_parameters(attack.metric, attack.parameters));
      } else if (metric.source.data != attack.data) {
        why = fmt::format("has {} of other examples, or of another tokenizer", name);
      } else if (const MetricResult* found = with_scores(log, name)) {
        return found;
      }
    }
  }
  // Without what the record says of the result, its name is all there is to go by.
  const std::string other = checked ? "" : recorded_handler(log, attack.metric);
  const bool is_other = !other.empty() && other != attack.handler;
  if (is_other) why = fmt::format("has {} of another attack, {}", attack.metric, other);
  const MetricResult* named = checked || is_other ? nullptr : with_scores(log, attack.metric);
  if (named == nullptr) {
    note = fmt::format("{} {}", log.path, why);
  } else if (!attack.parameters.empty()) {
    note = fmt::format(
        "{} does not say with which parameters {} was made; they are taken to be "
        "the same",
        log.path, attack.metric);
  }
  return named;
}

}  // namespace palimpsest::eval
