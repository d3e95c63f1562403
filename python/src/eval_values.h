// Values of evaluations between C++ and Python: parameters, and results of metrics in the form of
// open-unlearning's logs ({"agg_value": …, "value_by_index": {"0": {…}}}). All need the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/metric_result.h"
#include "palimpsest/eval/parameter.h"

namespace palimpsest::python {

nanobind::object to_python(const eval::Parameter& parameter);
nanobind::dict to_python(const eval::MetricResult& result);
// The traces, texts and other results that a handler asked for.
nanobind::dict to_python(const eval::MetricInput& input);

// Throws Error, which names the metric, for a value that is no such result.
eval::MetricResult result_of(nanobind::handle value, const std::string& metric);

}  // namespace palimpsest::python
