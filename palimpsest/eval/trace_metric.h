// Helpers for handlers that compute one score per trace and average the scores.
#pragma once

#include <functional>

#include "palimpsest/eval/handler.h"

namespace palimpsest::eval {

// The needs of such a handler: the traces of the metric's only data set.
MetricNeeds trace_needs(const MetricSetting& setting);

// Computes the result: value_by_index holds {"score": …}, and agg_value is the mean of the defined
// scores.
MetricResult score_each(const MetricInput& input,
                        const std::function<Number(const trace::Trace&)>& score);
// The field that holds these scores, for Handler::averaged.
AveragedField averaged_score(const MetricSetting& setting);

}  // namespace palimpsest::eval
