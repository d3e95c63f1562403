// hm_aggregate: the harmonic mean of everything that was computed before (TOFU's model utility):
// one bad part is not averaged away. Undefined where a part is.

#include <fmt/format.h>

#include "palimpsest/base/error.h"
#include "palimpsest/eval/handler.h"
#include "palimpsest/stat/harmonic_mean.h"

namespace palimpsest::eval {
namespace {

MetricNeeds hm_aggregate_needs(const MetricSetting& setting) {
  if (setting.pre_compute.empty()) {
    throw Error(
        {.what = fmt::format("the metric '{}' has nothing to take the mean of", setting.name),
         .where = setting.where,
         .expected = "pre_compute with the metrics that belong to it"});
  }
  return {};
}

double combine_harmonically(std::span<const double> parts, double /*reference*/) {
  PALIMPSEST_CHECK(!parts.empty());
  return *stat::harmonic_mean(parts);
}

MetricResult compute_hm_aggregate(const MetricInput& input) {
  std::vector<double> values;
  for (const auto& [key, result] : input.pre_compute) {
    if (!result->agg_value) {
      return {.notes = {fmt::format("{} is undefined, because {} is", input.setting.name, key)}};
    }
    values.push_back(*result->agg_value);
  }
  try {
    return {.agg_value = combine_harmonically(values, 0)};
  } catch (const Error& error) {
    throw error.located(input.setting.name);
  }
}

}  // namespace

Handler hm_aggregate_handler() {
  return {.name = "hm_aggregate",
          .measures = "harmonic mean of the metrics that it pre_computes",
          .orientation = "as its parts",
          .needs = hm_aggregate_needs,
          .compute = compute_hm_aggregate,
          .combine = combine_harmonically};
}

}  // namespace palimpsest::eval
