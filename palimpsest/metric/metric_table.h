// The table of metrics, with their names, arguments and factories. The table is a value. A program
// that adds a metric copies default_metric_table(), appends its own row and passes the copy on.
// `palimpsest list metrics` prints the table.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/metric/metric.h"
#include "palimpsest/metric/metric_args.h"

namespace palimpsest::metric {

struct MetricArg {
  std::string name;
  std::string type;           // for people: "integer", "list of integers" …
  std::string default_value;  // as a user would write it; empty: the argument is required
  std::string meaning;
};

struct MetricKind {
  std::string name;
  std::string summary;
  std::vector<MetricArg> args;
  std::function<MetricPtr(const MetricArgs&)> make;
};

using MetricTable = std::vector<MetricKind>;
const MetricTable& default_metric_table();

// Makes the metric that a text requests, such as "accuracy" or "top_k_accuracy:k=3". Throws Error
// for an unknown name or argument (the message lists the known ones), for a missing required
// argument, and for a wrong value.
MetricPtr make_metric(std::string_view spec, const MetricTable& table = default_metric_table());

}  // namespace palimpsest::metric
