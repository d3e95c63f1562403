// Reads the metrics of an evaluator's configuration into a flat list.
//
// As in open-unlearning, a metric is identified by its name. If two places configure the same name,
// the first counts, and a warning says so if they differ. A metric that another one pre_computes
// inherits from it all keys that it does not set itself. An entry without a handler refers to the
// metric with that name in the list.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/config/value.h"
#include "palimpsest/eval/evaluation_spec.h"
#include "palimpsest/eval/handler.h"

namespace palimpsest::eval {

// `metrics` maps names to configurations. In the result, each metric comes after those that it
// pre_computes. Throws Error for an unknown handler, and for a key that is missing, still ??? or of
// the wrong kind. The message has the file, line and key as far as the configuration knows them.
std::vector<MetricSpec> read_metrics(const config::Value& metrics, const HandlerTable& handlers);

// Reads a data set of a metric: {handler: QADataset, args: {…}, access_key: forget}, and
// cluster_size if it differs from the evaluator's.
DatasetSpec read_dataset(const std::string& name, const config::Value& dataset);

}  // namespace palimpsest::eval
