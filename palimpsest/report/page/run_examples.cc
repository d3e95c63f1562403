#include "palimpsest/report/page/run_examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string_view>
#include <vector>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/mia.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/base/json.h"
#include "palimpsest/report/page/mia_examples.h"
#include "palimpsest/trace/trace_file.h"

namespace palimpsest {
namespace {

using ByIndex = std::map<std::string, double>;

std::vector<ExampleId> ids_of(const ByIndex& scores) {
  std::vector<ExampleId> ids;
  for (const auto& [index, score] : scores) ids.push_back({.index = index});
  // "10" stands behind "9".
  std::stable_sort(ids.begin(), ids.end(), [](const ExampleId& a, const ExampleId& b) {
    return a.index.size() < b.index.size();
  });
  return ids;
}

ScoreColumn column_of(const std::vector<ExampleId>& ids, const ByIndex& scores) {
  ScoreColumn column;
  for (const ExampleId& id : ids) {
    const auto found = scores.find(id.index);
    column.push_back(found == scores.end() ? std::nullopt : std::optional(found->second));
  }
  return column;
}

// As much of an audit as ranking and showing examples needs.
MiaReport as_audit(const RunResults& run, const RunMetric& ranking) {
  MiaReport report{
      .model = run.name, .forget = ids_of(ranking.forget), .holdout = ids_of(ranking.holdout)};
  for (const RunMetric& metric : run.metrics) {
    if (!metric.is_auc()) continue;
    AttackOutcome outcome{.attack = metric.name, .title = label_of(metric)};
    outcome.forget.scores = column_of(report.forget, metric.forget);
    outcome.holdout.scores = column_of(report.holdout, metric.holdout);
    outcome.rates.records = test_records(outcome.columns(), report.false_discovery_rate);
    report.outcomes.push_back(std::move(outcome));
  }
  return report;
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                            std::string_view ending) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().ends_with(ending)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// "min_k:k=0.3", as an audit names it; nothing for a name that only looks alike.
AttackTable named_setting(const Attack& attack, const std::string& name) {
  try {
    return select_attacks({attack}, name);
  } catch (const Error&) {
    return {};
  }
}

// The settings of an attack on single traces that a metric may have come from. An evaluation log does
// not say which parameters it was made with, so those that a sweep would try are all there.
AttackTable settings_of(const RunMetric& metric) {
  constexpr std::string_view kPrefix = "mia_";
  if (!metric.is_auc() || metric.attack == nullptr) return {};
  const Attack& attack = *metric.attack;
  if (attack.needs_reference()) return {};
  const std::string asked = metric.name.substr(kPrefix.size());
  if (asked != attack.name) return named_setting(attack, asked);
  AttackTable settings = {attack};
  for (const AttackParameter& parameter : attack.parameters) {
    if (parameter.sweep.empty()) continue;
    for (Attack& one :
         select_attacks({attack}, fmt::format("{}:{}=sweep", attack.name, parameter.name)))
      settings.push_back(std::move(one));
  }
  return settings;
}

bool has_score(const Trace& trace, const Attack& attack, const ByIndex& scores) {
  constexpr double kTolerance = 1e-6;
  const ParameterValues values = attack.values();
  const bool can = std::ranges::all_of(
      attack.needs, [&](const TraceNeed& need) { return need.is_met(trace, values); });
  const auto found = scores.find(ExampleId{trace.index, trace.alternative}.key());
  if (!can || found == scores.end()) return false;
  const std::optional<double> score = attack.score(trace, values);
  return score && std::abs(*score - found->second) <= kTolerance * (1 + std::abs(*score));
}

// A trace file belongs to a set if the scores that its first traces give are the set's.
bool is_of(const std::vector<Trace>& traces, const AttackTable& settings, const ByIndex& scores) {
  return !traces.empty() && std::ranges::any_of(settings, [&](const Attack& attack) {
    return std::ranges::all_of(
        traces, [&](const Trace& trace) { return has_score(trace, attack, scores); });
  });
}

std::vector<Trace> first_traces(const std::filesystem::path& file) {
  constexpr size_t kFew = 5;
  TraceReader reader(file);
  std::vector<Trace> traces;
  Trace trace;
  while (traces.size() < kFew && reader.next(trace)) traces.push_back(trace);
  return traces;
}

MiaExampleOptions traces_of(const RunResults& run) {
  std::vector<std::filesystem::path> files = files_in(run.folder / "traces", ".jsonl");
  for (const std::filesystem::path& folder : files_in(run.folder, "_TRACES")) {
    for (std::filesystem::path& file : files_in(folder, ".jsonl")) files.push_back(std::move(file));
  }
  MiaExampleOptions options;
  for (const std::filesystem::path& file : files) {
    const std::vector<Trace> traces = first_traces(file);
    for (const RunMetric& metric : run.metrics) {
      const AttackTable settings = settings_of(metric);
      if (options.forget_traces.empty() && is_of(traces, settings, metric.forget))
        options.forget_traces = file;
      if (options.holdout_traces.empty() && is_of(traces, settings, metric.holdout))
        options.holdout_traces = file;
    }
  }
  return options;
}

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::optional<std::string> text_of(const Json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_string()) return std::nullopt;
  return shortened(found->get<std::string>(), ExampleLimits().most_text);
}

// Whether an entry of a log is about this example: its true answer is the same or, where no trace
// tells, the metric is called after the set. Other metrics of the log count their own data from 0.
bool is_about(const std::string& metric, const Json& entry, const PageExample& row) {
  if (!row.answer) {
    return metric.starts_with(row.set == PageSet::kForget ? "forget_" : "holdout_");
  }
  const std::optional<std::string> truth = text_of(entry, "ground_truth");
  return truth && trimmed(*truth) == trimmed(*row.answer);
}

void add_generations(const Json& log, PageExamples& examples) {
  for (const auto& [metric, result] : log.items()) {
    if (!result.is_object() || !result.contains("value_by_index")) continue;
    const Json& by_index = result["value_by_index"];
    if (!by_index.is_object()) continue;
    for (PageExample& row : examples.rows) {
      const auto entry = by_index.find(row.index);
      if (row.generation || entry == by_index.end() || !entry->is_object()) continue;
      if (!entry->contains("generation") || !is_about(metric, *entry, row)) continue;
      row.generation = text_of(*entry, "generation");
      if (!row.question) row.question = text_of(*entry, "input");
      if (!row.answer) row.answer = text_of(*entry, "ground_truth");
    }
  }
}

}  // namespace

PageExamples run_examples(const RunResults& run) {
  const RunMetric* leading = leading_attack(run);
  if (leading == nullptr) return {};
  const MiaReport report = as_audit(run, *leading);
  const auto place =
      std::find_if(report.outcomes.begin(), report.outcomes.end(),
                   [&](const AttackOutcome& o) { return o.attack == leading->name; });
  PageExamples examples =
      mia_examples(report, static_cast<size_t>(place - report.outcomes.begin()), traces_of(run));
  for (const std::filesystem::path& file : files_in(run.folder, "_EVAL.json")) {
    const Json log = parse_json(read_file(file), file.string());
    if (log.is_object()) add_generations(log, examples);
  }
  return examples;
}

}  // namespace palimpsest
