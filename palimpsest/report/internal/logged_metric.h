// A metric of a log that is a file or in memory.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/eval/metric_result.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

// The examples of a set, with the keys of all examples, including those without a value. If all
// keys are whole numbers (indices of records), they are sorted by number; otherwise they are in the
// order of the log.
struct LoggedSet {
  std::vector<std::string> keys = {};
  ValueByExample scores = {};
};

struct LoggedMetric {
  std::string name;
  std::optional<double> value = {};                 // agg_value
  std::optional<MetricParameters> parameters = {};  // from mia.json
  std::optional<stat::Interval> simultaneous = {};  // from mia.json
  LoggedSet forget = {};                            // for an attack
  LoggedSet holdout = {};
  std::optional<std::vector<std::string>> keys = {};  // the keys of value_by_index, if it exists
  std::map<std::string, GeneratedExample> generations = {};
  // Returns one field of value_by_index, in a form of stat/truth_ratio.h. If a value is a list with
  // one entry per alternative answer, its mean is used. Examples without a finite number are left
  // out.
  std::function<ValueByExample(const std::string& field, const std::string& form)> values = {};
  // Returns the values whose mean is `mean` (guesses.h). For a log in memory, nothing has to be
  // guessed.
  std::function<ValueByExample(double mean)> values_with_mean = {};
};

// Makes the metric from the entry of a file or from a result, which must outlive it.
LoggedMetric logged_metric(const std::string& name, const Json& entry);
LoggedMetric logged_metric(const std::string& name, const eval::MetricResult& result);
// Makes the metric from an attack of an audit.
LoggedMetric logged_metric(const attack::AttackOutcome& outcome, const attack::MiaReport& audit);

// The parameters with their numbers as text: "0.4".
MetricParameters parameter_texts(const attack::ParameterValues& parameters);

}  // namespace palimpsest::report
