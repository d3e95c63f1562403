#include "palimpsest/eval/internal/reference_value.h"

#include <fmt/format.h>

namespace palimpsest::eval {

const MetricResult* retained(const MetricSetting& setting) {
  const auto log = setting.reference_logs.find(std::string(kRetainLogs));
  if (log == setting.reference_logs.end()) return nullptr;
  const auto metric = log->second.find("retain");
  if (metric == log->second.end() || !metric->second) return nullptr;
  return &*metric->second;
}

std::optional<std::string> retained_name(const MetricNode& node) {
  for (const ReferenceLogSpec& log : node.reference_logs) {
    if (log.name != kRetainLogs) continue;
    for (const auto& [access_key, metric] : log.include) {
      if (access_key == "retain") return metric;
    }
  }
  return std::nullopt;
}

MetricNeeds reference_value_needs(const MetricSetting& setting) {
  require_computed(setting, {"forget"});
  const MetricResult* retain = retained(setting);
  if (retain == nullptr || !retain->agg_value) setting.parameters.at("ref_value").as_real();
  return {};
}

MetricResult compared_with_reference(const MetricInput& input,
                                     double (*formula)(std::span<const double>, double)) {
  const MetricSetting& setting = input.setting;
  const Number score = input.computed("forget").agg_value;
  if (!score) return {};
  const MetricResult* retain = retained(setting);
  if (retain != nullptr && retain->agg_value)
    return {.agg_value = formula({&*score, 1}, *retain->agg_value)};
  const double value = setting.parameters.at("ref_value").as_real();
  return {.agg_value = formula({&*score, 1}, value),
          .notes = {fmt::format("{}: there is no log of a retain model (reference_logs); it is "
                                "compared with {}",
                                setting.name, value)}};
}

}  // namespace palimpsest::eval
