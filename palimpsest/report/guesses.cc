#include "palimpsest/report/internal/guesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <system_error>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/internal/example_scores.h"
#include "palimpsest/base/error.h"
#include "palimpsest/report/internal/logged_metric.h"
#include "palimpsest/report/internal/run_intervals.h"
#include "palimpsest/stat/clustered_auc.h"
#include "palimpsest/stat/clustered_mean.h"
#include "palimpsest/stat/harmonic_mean.h"
#include "palimpsest/stat/jackknife.h"
#include "palimpsest/trace/trace_file.h"

namespace palimpsest::report {
namespace {

bool has_mean(const ValueByExample& values, double mean) {
  if (values.empty()) return false;
  double sum = 0;
  for (const auto& [index, value] : values) sum += value;
  const double found = sum / static_cast<double>(values.size());
  return std::abs(found - mean) <= 1e-6 * std::max(1.0, std::abs(mean));
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                            std::string_view ending) {
  std::vector<std::filesystem::path> files;
  std::error_code failed;  // what cannot be read is not there
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->path().filename().string().ends_with(ending)) files.push_back(entry->path());
  }
  std::ranges::sort(files);
  return files;
}

// "min_k:k=0.3", as an audit names it; nothing for a name that only looks alike.
attack::AttackTable named_setting(const attack::Attack& attack, const std::string& name) {
  try {
    return attack::select_attacks({attack}, name);
  } catch (const Error&) {
    return {};
  }
}

// The settings of an attack on single traces that a metric may have come from. An evaluation log
// does not say which parameters it was made with, so those that a sweep would try are all there.
attack::AttackTable settings_of(const RunMetric& metric) {
  if (!metric.is_auc() || metric.attack == nullptr) return {};
  const attack::Attack& attack = *metric.attack;
  if (attack.needs_reference() || !metric.name.starts_with(kAttackPrefix)) return {};
  const std::string asked = metric.name.substr(kAttackPrefix.size());
  if (asked != attack.name) return named_setting(attack, asked);
  attack::AttackTable settings = {attack};
  for (const attack::AttackParameter& parameter : attack.parameters) {
    if (parameter.sweep.empty()) continue;
    for (attack::Attack& one :
         attack::select_attacks({attack}, fmt::format("{}:{}=sweep", attack.name, parameter.name)))
      settings.push_back(std::move(one));
  }
  return settings;
}

bool has_score(const trace::Trace& trace, const attack::Attack& attack,
               const attack::SetScores& set) {
  constexpr double kTolerance = 1e-6;
  const attack::ParameterValues values = attack.values();
  const bool can = attack::unmet_need(attack.needs, trace, values) == nullptr;
  const std::vector<std::string>& keys = set.keys.list();
  const auto found =
      std::ranges::find(keys, attack::ExampleId{trace.index, trace.alternative}.key());
  if (!can || found == keys.end()) return false;
  const std::optional<double>& known = set.scores[static_cast<size_t>(found - keys.begin())];
  const std::optional<double> score = attack.score(trace, values);
  return score && known && std::abs(*score - *known) <= kTolerance * (1 + std::abs(*score));
}

// A trace file belongs to a set if the scores that its first traces give are the set's.
bool is_of(const std::vector<trace::Trace>& traces, const attack::AttackTable& settings,
           const attack::SetScores& set) {
  return !traces.empty() && std::ranges::any_of(settings, [&](const attack::Attack& attack) {
    return std::ranges::all_of(
        traces, [&](const trace::Trace& trace) { return has_score(trace, attack, set); });
  });
}

std::vector<trace::Trace> first_traces(const std::filesystem::path& file) {
  constexpr size_t kFew = 5;
  trace::TraceReader reader(file);
  std::vector<trace::Trace> traces;
  trace::Trace trace;
  while (traces.size() < kFew && reader.next(trace)) traces.push_back(trace);
  return traces;
}

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// A mean that a composite is made of, and what it becomes without each of its clusters.
struct CompositePart {
  std::string data;
  double mean = 0;
  std::map<std::string, double> without;  // by cluster
};

std::optional<CompositePart> composite_part(const RunMetric& metric) {
  if (metric.by_index.empty() || !metric.value) return std::nullopt;
  CompositePart part{
      .data = metric.data_set.empty() ? guess_data_set(metric.name) : metric.data_set,
      .mean = *metric.value,
      .without = {}};
  std::map<std::string, int64_t> numbers;
  const std::vector<int64_t> clusters =
      cluster_numbers(metric.by_index, metric.clusters, part.data, numbers);
  const std::vector<double> means =
      stat::means_without_each_cluster(values_of(metric.by_index), clusters);
  if (means.size() != numbers.size()) return std::nullopt;  // one cluster holds everything
  for (const auto& [name, number] : numbers)
    part.without[name] = means[static_cast<size_t>(number)];
  return part;
}

constexpr std::array<std::string_view, 9> kModelUtility = {
    "retain_Q_A_Prob",        "retain_Q_A_ROUGE", "retain_Truth_Ratio",
    "ra_Q_A_Prob_normalised", "ra_Q_A_ROUGE",     "ra_Truth_Ratio",
    "wf_Q_A_Prob_normalised", "wf_Q_A_ROUGE",     "wf_Truth_Ratio"};

// nullopt where a part is 0 or negative: then there is no harmonic mean to speak of.
std::optional<double> harmonic_mean_of(const std::vector<CompositePart>& parts,
                                       const std::string& data = "",
                                       const std::string& left_out = "") {
  std::vector<double> values;
  for (const CompositePart& part : parts) {
    const auto found = part.without.find(left_out);
    const bool changes = part.data == data && found != part.without.end();
    values.push_back(changes ? found->second : part.mean);
    if (!(values.back() > 0)) return std::nullopt;
  }
  return stat::harmonic_mean(values);
}

// The clusters of each data set.
std::map<std::string, std::vector<std::string>> clusters_by_data(
    const std::vector<CompositePart>& parts) {
  std::map<std::string, std::vector<std::string>> clusters;
  for (const CompositePart& part : parts) {
    std::vector<std::string>& names = clusters[part.data];
    for (const auto& [name, mean] : part.without) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return clusters;
}

const RunMetric* metric_named(const std::vector<RunMetric>& metrics, std::string_view name) {
  const auto found = std::ranges::find(metrics, name, &RunMetric::name);
  return found == metrics.end() ? nullptr : &*found;
}

std::optional<stat::Interval> model_utility_interval(double value,
                                                     const std::vector<RunMetric>& others,
                                                     double confidence) {
  std::vector<CompositePart> parts;
  for (std::string_view name : kModelUtility) {
    const RunMetric* metric = metric_named(others, name);
    const auto part = metric != nullptr ? composite_part(*metric) : std::nullopt;
    if (!part) return std::nullopt;
    parts.push_back(*part);
  }
  const std::optional<double> whole = harmonic_mean_of(parts);
  // Another list of parts than TOFU's.
  if (!whole || std::abs(*whole - value) > 1e-6) return std::nullopt;
  std::vector<std::vector<double>> strata;
  for (const auto& [data, names] : clusters_by_data(parts)) {
    strata.emplace_back();
    for (const std::string& name : names) {
      const std::optional<double> without = harmonic_mean_of(parts, data, name);
      if (!without) return std::nullopt;
      strata.back().push_back(*without);
    }
  }
  const std::optional<stat::JackknifeEstimate> estimate = stat::jackknife(value, strata);
  if (!estimate) return std::nullopt;
  return stat::cut_at(stat::jackknife_interval(*estimate, confidence), {0, 1});
}

std::optional<stat::Interval> privleak_interval(double value, const RunMetric& attack,
                                                double confidence) {
  const std::optional<stat::ClusteredAuc> auc = clustered_auc_of(attack);
  if (!auc || !(auc->variance > 0)) return std::nullopt;
  const double share = value / 100;
  const double reference = (share + auc->auc) / (1 + share);
  // -100 says that the AUC is 1 and nothing about the reference.
  if (!(share > -1 + 1e-9) || !(reference >= 0 && reference < 1)) return std::nullopt;
  const double slope = 100 / (1 - reference);
  return stat::cut_at(stat::jackknife_interval({.estimate = value,
                                                .variance = slope * slope * auc->variance,
                                                .degrees_of_freedom = auc->degrees_of_freedom},
                                               confidence),
                      {-100, std::numeric_limits<double>::infinity()});
}

}  // namespace

std::string guess_attack(const std::string& metric) {
  if (!metric.starts_with(kAttackPrefix)) return "";
  return attack::row_named_in(metric.substr(kAttackPrefix.size()));
}

ValueByExample guess_averaged_values(const eval::MetricResult& result, double mean) {
  if (result.value_by_index.empty()) return {};
  // Fields as they are go first: a truth ratio's form may have the same mean by chance.
  for (const char* form : {"", "closer_to_1_better", "true_better"}) {
    for (const auto& [field, unused] : result.value_by_index.front().fields) {
      if (*form != '\0' && field != "score") continue;
      ValueByExample values = logged_field(result, field, form);
      if (has_mean(values, mean)) return values;
    }
  }
  return {};
}

std::string guess_data_set(const std::string& metric) {
  // Both are of the forget set in TOFU and in MUSE.
  if (metric == "exact_memorization" || metric == "extraction_strength") return "forget";
  return metric.substr(0, metric.find('_'));
}

bool guess_is_independent(const std::string& metric) {
  const std::string data = guess_data_set(metric);
  return data == "ra" || data == "wf";
}

trace::BothSets<trace::TraceInput> guess_trace_files(const RunResults& run) {
  std::vector<std::filesystem::path> files = files_in(run.folder / "traces", ".jsonl");
  for (const std::filesystem::path& folder : files_in(run.folder, "_TRACES")) {
    for (std::filesystem::path& file : files_in(folder, ".jsonl")) files.push_back(std::move(file));
  }
  trace::BothSets<trace::TraceInput> found;
  for (const std::filesystem::path& file : files) {
    const std::vector<trace::Trace> traces = first_traces(file);
    for (const RunMetric& metric : run.metrics) {
      const attack::AttackTable settings = settings_of(metric);
      if (settings.empty()) continue;
      const attack::ScoredAttack& scored = *metric.scored;
      if (!trace::is_given(found.forget) && is_of(traces, settings, scored.forget))
        found.forget = file;
      if (!trace::is_given(found.holdout) && is_of(traces, settings, scored.holdout))
        found.holdout = file;
    }
  }
  return found;
}

bool guess_is_about(const std::string& metric, const GeneratedExample& generated,
                    const std::string& set, const std::optional<std::string>& answer) {
  // Other metrics of the log count their own data from 0.
  if (!answer) return metric.starts_with(set + "_");
  return generated.truth && trimmed(*generated.truth) == trimmed(*answer);
}

std::optional<stat::Interval> guess_composite_interval(const RunMetric& metric,
                                                       const std::vector<RunMetric>& others,
                                                       double confidence) {
  if (!metric.value || !metric.by_index.empty() || metric.is_auc()) return std::nullopt;
  if (metric.name == "model_utility")
    return model_utility_interval(*metric.value, others, confidence);
  if (metric.name != "privleak") return std::nullopt;
  const RunMetric* attack = metric_named(others, "mia_min_k");
  if (attack == nullptr || !attack->is_auc()) return std::nullopt;
  return privleak_interval(*metric.value, *attack, confidence);
}

}  // namespace palimpsest::report
