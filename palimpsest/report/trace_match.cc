#include "palimpsest/report/internal/trace_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/internal/example_scores.h"
#include "palimpsest/base/error.h"
#include "palimpsest/trace/trace_file.h"

namespace palimpsest::report {
namespace {

// "min_k:k=0.3", as an audit names it; nothing for a name that only looks alike.
attack::AttackTable named_setting(const attack::Attack& attack, const std::string& name) {
  try {
    return attack::select_attacks({attack}, name);
  } catch (const Error&) {
    return {};
  }
}

std::string name_with(const attack::Attack& attack, const MetricParameters& parameters) {
  std::string name = attack.name;
  for (const auto& [parameter, value] : parameters) name += fmt::format(":{}={}", parameter, value);
  return name;
}

// The settings of an attack on single traces that a metric may have come from. A log of another
// program does not say which parameters it was made with, so those that a sweep would try are all
// there.
attack::AttackTable settings_of(const RunMetric& metric) {
  if (!metric.is_auc() || metric.attack == nullptr) return {};
  const attack::Attack& attack = *metric.attack;
  if (attack.needs_reference() || !metric.name.starts_with(kAttackPrefix)) return {};
  if (metric.parameters) return named_setting(attack, name_with(attack, *metric.parameters));
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

// nullopt if the trace lacks what the attack needs, or if the score is undefined.
std::optional<double> score_of(const trace::Trace& trace, const attack::Attack& attack) {
  const attack::ParameterValues values = attack.values();
  if (attack::unmet_need(attack.needs, trace, values) != nullptr) return std::nullopt;
  const std::optional<double> score = attack.score(trace, values);
  return score && std::isfinite(*score) ? score : std::nullopt;
}

// Whether the set has the scores of all these traces. An undefined score alone tells nothing.
bool has_scores(const attack::SetScores& set, const std::vector<trace::Trace>& traces,
                const attack::Attack& attack) {
  constexpr double kTolerance = 1e-6;
  const std::vector<std::string>& keys = set.keys.list();
  bool any = false;
  for (const trace::Trace& trace : traces) {
    const auto found =
        std::ranges::find(keys, attack::ExampleId{trace.index, trace.alternative}.key());
    if (found == keys.end()) return false;
    const std::optional<double>& known = set.scores[static_cast<size_t>(found - keys.begin())];
    const std::optional<double> score = score_of(trace, attack);
    if (known.has_value() != score.has_value()) return false;
    if (!known) continue;
    if (std::abs(*score - *known) > kTolerance * (1 + std::abs(*score))) return false;
    any = true;
  }
  return any;
}

}  // namespace

std::vector<trace::Trace> first_traces(const std::filesystem::path& file) {
  constexpr size_t kFew = 5;
  trace::TraceReader reader(file);
  std::vector<trace::Trace> traces;
  trace::Trace trace;
  while (traces.size() < kFew && reader.next(trace)) traces.push_back(trace);
  return traces;
}

bool give_scores(const std::vector<trace::Trace>& traces, std::span<const RunMetric> metrics,
                 attack::SetScores attack::ScoredAttack::*set) {
  return std::ranges::any_of(metrics, [&](const RunMetric& metric) {
    return std::ranges::any_of(settings_of(metric), [&](const attack::Attack& attack) {
      return has_scores((*metric.scored).*set, traces, attack);
    });
  });
}

}  // namespace palimpsest::report
