#include "palimpsest/report/run_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/internal/mia/leading_attack.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/short_name.h"

namespace palimpsest::report {
namespace {

bool is_default(const attack::Attack& attack, const std::string& name, const std::string& value) {
  const auto found = std::ranges::find(attack.parameters, name, &attack::AttackParameter::name);
  return found != attack.parameters.end() && fmt::format("{}", found->default_value) == value;
}

// As few of the last parts of the run's path as distinguish it from the other runs.
std::string distinguishing_name(const RunResults& run, const std::vector<RunResults>& runs) {
  constexpr size_t kMaxParts = 64;
  std::string name;
  for (size_t count = 2; count <= kMaxParts; ++count) {
    std::string longer = last_parts(path_parts(run.folder), count);
    if (longer == name) break;  // the whole path
    name = std::move(longer);
    const bool is_unique = std::ranges::none_of(runs, [&](const RunResults& other) {
      return &other != &run && last_parts(path_parts(other.folder), count) == name;
    });
    if (is_unique) break;
  }
  return name;
}

}  // namespace

std::string label_of(const RunMetric& metric) {
  // "mia_min_k:k=0.3" says it already; other metrics than attacks have no defaults to differ from.
  if (metric.attack == nullptr || !metric.parameters || metric.name_has_parameters())
    return metric.name;
  std::string shown;
  for (const auto& [name, value] : *metric.parameters) {
    if (is_default(*metric.attack, name, value)) continue;
    shown += fmt::format("{}{}={}", shown.empty() ? "" : ", ", name, value);
  }
  return shown.empty() ? metric.name : fmt::format("{} ({})", metric.name, shown);
}

bool is_same_metric(const RunMetric& a, const RunMetric& b) {
  return a.name == b.name && (!a.parameters || !b.parameters || *a.parameters == *b.parameters) &&
         (a.attack == nullptr || b.attack == nullptr || a.attack->name == b.attack->name);
}

const RunMetric* find_same(const RunResults& run, const RunMetric& metric) {
  const auto found = std::ranges::find_if(
      run.metrics, [&](const RunMetric& one) { return is_same_metric(one, metric); });
  return found == run.metrics.end() ? nullptr : &*found;
}

const RunMetric* leading_attack(const RunResults& run) {
  std::vector<attack::NamedAuc> aucs;
  for (const RunMetric& metric : run.metrics)
    aucs.push_back({metric.name, metric.is_auc() ? metric.value : std::nullopt});
  const std::optional<size_t> leading =
      attack::leading_attack(aucs, run.answer ? run.answer->attack_name : "");
  return leading ? &run.metrics[*leading] : nullptr;
}

std::vector<double> values_of(const ValueByExample& by_index) {
  std::vector<double> values;
  for (const auto& [index, value] : by_index) values.push_back(value);
  return values;
}

ValueByExample scores_by_key(const attack::SetScores& set) {
  PALIMPSEST_CHECK(set.has_keys());
  ValueByExample scores;
  for (size_t i = 0; i < set.scores.size(); ++i) {
    if (set.scores[i]) scores[set.keys[i]] = *set.scores[i];
  }
  return scores;
}

std::vector<RunResults> read_runs(const std::vector<std::filesystem::path>& folders,
                                  const RunReadOptions& options) {
  std::vector<RunResults> runs;
  std::map<std::string, int64_t> names;
  for (const auto& folder : folders) {
    runs.push_back(read_run(folder, options));
    ++names[runs.back().name];
  }
  for (RunResults& run : runs) {
    if (names[run.name] > 1) run.name = distinguishing_name(run, runs);
  }
  return runs;
}

}  // namespace palimpsest::report
