// A metric as a log has it, whether the log is a file or in memory.
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

// The examples of a set: their keys, also of those without a value, in the order of their numbers where
// all are whole numbers, as indices of records are, else in that of the log.
struct LoggedSet {
  std::vector<std::string> keys = {};
  ValueByExample scores = {};
};

struct LoggedMetric {
  std::string name;
  std::optional<double> value = {};                 // agg_value
  std::optional<MetricParameters> parameters = {};  // of mia.json
  std::optional<stat::Interval> simultaneous = {};  // of mia.json
  LoggedSet forget = {};                            // of an attack
  LoggedSet holdout = {};
  std::optional<std::vector<std::string>> keys = {};  // of value_by_index, where there is one
  std::map<std::string, GeneratedExample> generations = {};
  // One field of value_by_index, in a form that stat/truth_ratio.h names; of a list, one entry per
  // alternative answer, its mean counts. Examples without a finite number are left out.
  std::function<ValueByExample(const std::string& field, const std::string& form)> values = {};
  // The values whose mean this is (guesses.h); of a log in memory nothing has to be guessed.
  std::function<ValueByExample(double mean)> values_with_mean = {};
};

// The entry of a file, or a result; it must outlive what is returned.
LoggedMetric logged_metric(const std::string& name, const Json& entry);
LoggedMetric logged_metric(const std::string& name, const eval::MetricResult& result);
// An attack of an audit.
LoggedMetric logged_metric(const attack::AttackOutcome& outcome, const attack::MiaReport& audit);

// Numbers as text: "0.4".
MetricParameters parameter_texts(const attack::ParameterValues& parameters);

}  // namespace palimpsest::report
