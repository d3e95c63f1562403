// The metrics of an evaluator's configuration as a flat list.
//
// As open-unlearning has it, a metric is known by its name: where two places configure the same name
// the first one counts (a warning says so if they differ), and a metric that is pre_computed inherits
// from the one that asks for it whatever it does not set itself. An entry without a handler stands
// for the metric of that name in the list.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/config/value.h"
#include "palimpsest/eval/evaluation_spec.h"
#include "palimpsest/eval/handler.h"

namespace palimpsest::eval {

// `metrics` maps names to configurations. Each metric stands after those that it pre_computes. Throws
// Error (with file, line and key as far as the configuration knows them) for an unknown handler and for
// a key that is missing, still ??? or of the wrong kind.
std::vector<MetricSpec> read_metrics(const config::Value& metrics, const HandlerTable& handlers);

// One data set of a metric: {handler: QADataset, args: {…}, access_key: forget}, and cluster_size where
// it differs from the evaluator's.
DatasetSpec read_dataset(const std::string& name, const config::Value& dataset);

}  // namespace palimpsest::eval
