// What handlers share that give one score per trace: the score under its index, and the mean.
#pragma once

#include <functional>

#include "palimpsest/eval/handler.h"

namespace palimpsest::eval {

// Traces of the metric's only data set.
MetricNeeds trace_needs(const MetricSetting& setting);

// value_by_index holds {"score": …}; agg_value is the mean of the defined ones.
MetricResult score_each(const MetricInput& input, const std::function<Number(const Trace&)>& score);
// These scores again.
std::vector<Number> trace_values(const MetricSetting& setting, const MetricResult& result);

}  // namespace palimpsest::eval
