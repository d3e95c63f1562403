#include "palimpsest/eval/reference_value.h"

#include "palimpsest/base/log.h"

namespace palimpsest::eval {

const MetricResult* retained(const MetricSetting& setting) {
  const auto log = setting.reference_logs.find(std::string(kRetainLogs));
  if (log == setting.reference_logs.end()) return nullptr;
  const auto metric = log->second.find("retain");
  if (metric == log->second.end() || !metric->second) return nullptr;
  return &*metric->second;
}

std::optional<std::string> retained_name(const MetricSetting& setting) {
  const config::Value* logs = setting.config.find_set("reference_logs");
  const config::Value* retain = logs != nullptr ? logs->find_set(kRetainLogs) : nullptr;
  const config::Value* include = retain != nullptr ? retain->find_set("include") : nullptr;
  if (include == nullptr) return std::nullopt;
  for (const auto& [metric, entry] : include->as_map()) {
    const config::Value* access = entry.is_map() ? entry.find_set("access_key") : nullptr;
    if ((access != nullptr ? access->as_text() : metric) == "retain") return metric;
  }
  return std::nullopt;
}

MetricNeeds reference_value_needs(const MetricSetting& setting) {
  require_computed(setting, {"forget"});
  const MetricResult* retain = retained(setting);
  if (retain == nullptr || !retain->agg_value) setting.config.at("ref_value").as_real();
  return {};
}

double reference_value(const MetricSetting& setting) {
  const MetricResult* retain = retained(setting);
  if (retain != nullptr && retain->agg_value) return *retain->agg_value;
  const double value = setting.config.at("ref_value").as_real();
  log_warning("{}: there is no log of a retain model (reference_logs); it is compared with {}",
              setting.name, value);
  return value;
}

}  // namespace palimpsest::eval
