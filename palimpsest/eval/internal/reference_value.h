// The same metric of another model (one that never saw the forget set), from its log: what a metric
// is compared with.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/metric_graph.h"

namespace palimpsest::eval {

// What the configuration calls the logs of models that never saw the forget set.
inline constexpr std::string_view kRetainLogs = "retain_model_logs";

// retain_model_logs → retain of the reference logs; nullptr where the configuration gives no path or
// the log has no such metric.
const MetricResult* retained(const MetricSetting& setting);

// What that metric is called in the logs; nullopt where the metric refers to none.
std::optional<std::string> retained_name(const MetricNode& node);

// Of privleak and rel_diff: something computed as 'forget', and something to compare it with. Throws
// Error if there is neither retained() nor a ref_value.
MetricNeeds reference_value_needs(const MetricSetting& setting);

// What privleak and rel_diff compare with: agg_value of retained(), else ref_value, with a note.
double reference_value(const MetricSetting& setting, std::vector<std::string>& notes);

}  // namespace palimpsest::eval
