#include "palimpsest/report/run_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/mia/leading_attack.h"

namespace palimpsest::report {
namespace {

bool is_default(const attack::Attack& attack, const std::string& name, const std::string& value) {
  const auto found = std::ranges::find(attack.parameters, name, &attack::AttackParameter::name);
  return found != attack.parameters.end() && fmt::format("{}", found->default_value) == value;
}

}  // namespace

std::string label_of(const RunMetric& metric) {
  // "mia_min_k:k=0.3" says it already; other metrics than attacks have no defaults to differ from.
  const bool says_it = metric.name.find(':') != std::string::npos;
  if (metric.attack == nullptr || !metric.parameters || says_it) return metric.name;
  std::string shown;
  for (const auto& [name, value] : *metric.parameters) {
    if (is_default(*metric.attack, name, value)) continue;
    shown += fmt::format("{}{}={}", shown.empty() ? "" : ", ", name, value);
  }
  return shown.empty() ? metric.name : fmt::format("{} ({})", metric.name, shown);
}

bool is_same_metric(const RunMetric& a, const RunMetric& b) {
  return a.name == b.name && (!a.parameters || !b.parameters || *a.parameters == *b.parameters);
}

const RunMetric* leading_attack(const RunResults& run) {
  const std::string asked = run.answer ? run.answer->attack : "";
  std::vector<std::optional<double>> aucs;
  std::vector<bool> named;
  for (const RunMetric& metric : run.metrics) {
    aucs.push_back(metric.is_auc() ? metric.value : std::nullopt);
    // Audits name attacks without the prefix, evaluations with it.
    const auto is_asked = [&](const std::string& name) {
      return name == asked || name == std::string(kAttackPrefix) + asked;
    };
    named.push_back(!asked.empty() && (is_asked(metric.name) || is_asked(label_of(metric))));
  }
  const std::optional<size_t> leading = attack::leading_attack(aucs, named);
  return leading ? &run.metrics[*leading] : nullptr;
}

std::vector<double> values_of(const ValueByExample& by_index) {
  std::vector<double> values;
  for (const auto& [index, value] : by_index) values.push_back(value);
  return values;
}

}  // namespace palimpsest::report
