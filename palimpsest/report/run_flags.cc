#include "palimpsest/report/internal/run_flags.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace palimpsest::report {
namespace {

// Of the first of these metrics that the run has.
std::optional<double> metric_of(const RunResults& run, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(run.metrics, name, &RunMetric::name);
    if (found != run.metrics.end()) return found->value;
  }
  return std::nullopt;
}

}  // namespace

std::vector<attack::RedFlag> run_flags(const RunResults& run) {
  const RunMetric* attack = leading_attack(run);
  return attack::red_flags(
      {.verdict = run.answer ? std::optional(run.answer->verdict) : std::nullopt,
       .auc = attack != nullptr ? attack->value : std::nullopt,
       .forget_accuracy = metric_of(run, attack::kForgetAccuracies),
       .retain_accuracy = metric_of(run, attack::kRetainAccuracies),
       .separating_texts = run.separating_texts});
}

}  // namespace palimpsest::report
