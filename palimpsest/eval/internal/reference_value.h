// The result of the same metric for a retain model (a model that never saw the forget set), from
// its log. Some metrics are compared with it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/internal/metric_graph.h"

namespace palimpsest::eval {

// The name of the retain models' logs in a configuration.
inline constexpr std::string_view kRetainLogs = "retain_model_logs";

// The metric `retain` of the reference logs retain_model_logs. Returns nullptr if the configuration
// gives no path or if the log has no such metric.
const MetricResult* retained(const MetricSetting& setting);

// The name of that metric in the logs; nullopt if the metric refers to none.
std::optional<std::string> retained_name(const MetricNode& node);

// The needs of privleak and rel_diff: a metric with the access key 'forget', and a value to compare
// it with. Throws Error if there is neither retained() nor a ref_value.
MetricNeeds reference_value_needs(const MetricSetting& setting);

// The result of privleak and rel_diff: `formula` of the metric 'forget' and of the value to compare
// it with, which is agg_value of retained(), else ref_value; a note then says so.
MetricResult compared_with_reference(const MetricInput& input,
                                     double (*formula)(std::span<const double>, double));

}  // namespace palimpsest::eval
