// The metrics of a log, which may be a file or in memory, as results of the module eval, and what a
// report takes from such a result.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/eval/metric_result.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

// The result in an entry of a file. What is absent or of another type counts as absent, because logs
// of other programs may differ.
eval::MetricResult logged_result(const Json& entry);
// The result of an attack of an audit.
eval::MetricResult logged_result(const attack::AttackOutcome& outcome,
                                 const attack::MiaReport& audit);

// The keys of all examples, including those without a value. If all keys are whole numbers (indices
// of records), they are sorted by number; otherwise they are in the order of the log.
std::vector<std::string> example_keys(const eval::MetricResult& result);

// One field of the examples, in a form of stat/truth_ratio.h. If a value is a list with one entry
// per alternative answer, its mean is used. Examples without a finite number are left out.
ValueByExample logged_field(const eval::MetricResult& result, const std::string& field,
                            const std::string& form = "");

// The texts that the model wrote, keyed by the example's key.
std::map<std::string, GeneratedExample> logged_generations(const eval::MetricResult& result);

// The parameters with their numbers as text: "0.4".
MetricParameters parameter_texts(const attack::ParameterValues& parameters);

}  // namespace palimpsest::report
