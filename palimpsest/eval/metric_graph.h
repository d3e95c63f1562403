// The metrics of an evaluator as a graph: those that were asked for and those that they pre_compute,
// each once, each after what it needs. Reading it checks everything that can be checked without data
// or model.
//
// As open-unlearning has it, a metric is known by its name: where two places configure the same name
// the first one counts (a warning says so if they differ), and a metric that is pre_computed inherits
// from the one that asks for it whatever it does not set itself. An entry without a handler stands
// for the metric of that name in the list.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/config/value.h"
#include "palimpsest/eval/dataset.h"
#include "palimpsest/eval/eval_log.h"
#include "palimpsest/eval/handler.h"

namespace palimpsest::eval {

struct MetricNode {
  MetricSetting setting;
  const Handler* handler = nullptr;
  MetricNeeds needs;
  // The data sets that the handler needs, by the access keys that it asked with.
  std::vector<std::pair<std::string, DatasetSpec>> data;
  bool masks_padding = true;  // attention_mask: ne_pad (the default), or full
  // Access key and node.
  std::vector<std::pair<std::string, size_t>> pre_compute;
  std::vector<std::string> reference_files;  // that were read
  bool requested = false;                    // named in the list itself
};

struct MetricGraph {
  std::vector<MetricNode> nodes;  // each after those it needs
  // The paths of the first retain_model_logs that a metric refers to: one, or several.
  std::vector<std::string> retain_logs;

  // The data set whose examples a metric has values of: its own, or that of what it is made of.
  // nullptr for one that has none.
  const DatasetSpec* data_of(size_t node) const;
};

struct GraphTables {
  const HandlerTable& handlers;
  const DatasetTable& datasets;
  ClusterChoice clusters = {};  // the evaluator's, for every data set that says nothing else
};

// `metrics` maps names to configurations. Throws Error (with file, line and key as far as the
// configuration knows them): an unknown handler or data set, a key that is missing or still ???, a
// cycle (named), a reference log that cannot be read. Where the path of a reference log is a list,
// metrics are compared with the first.
MetricGraph read_metrics(const config::Value& metrics, const GraphTables& tables);

// Throws Error where a value is still ??? or could not be resolved.
void require_no_missing_values(const config::Value& value);

}  // namespace palimpsest::eval
