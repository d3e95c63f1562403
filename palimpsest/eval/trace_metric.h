// What handlers share that give one score per trace: the score under its index, and the mean.
#pragma once

#include <functional>

#include "palimpsest/eval/handler.h"

namespace palimpsest::eval {

// Traces of the metric's only data set.
MetricNeeds trace_needs(const MetricSetting& setting);

// value_by_index holds {"score": …}; agg_value is the mean of the defined ones.
MetricResult score_each(const MetricInput& input, const std::function<Number(const Trace&)>& score);
// The field that these scores stand in.
AveragedField averaged_score(const MetricSetting& setting);

}  // namespace palimpsest::eval
