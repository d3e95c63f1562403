// The table of metrics: what each is called, what arguments it takes, how it is made. The table is
// a value; a program that adds a metric copies default_metric_table(), appends its own line and
// passes the copy on. `palimpsest list metrics` prints it.
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
  std::string default_value;  // as it would be written; empty: must be given
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

// The metric that a text asks for: "accuracy", "top_k_accuracy:k=3". Throws Error for a name or an
// argument that the table lacks (the message lists those that it has), for a required argument that
// is missing and for a value that is wrong.
MetricPtr make_metric(std::string_view spec, const MetricTable& table = default_metric_table());

}  // namespace palimpsest::metric
