// The metrics of an evaluator as a graph. Each metric appears once, after the metrics that it
// needs, together with its handler and the handler's needs. Planning the graph checks everything
// that can be checked without data or a model.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/eval/dataset.h"
#include "palimpsest/eval/eval_log.h"
#include "palimpsest/eval/evaluation_spec.h"
#include "palimpsest/eval/handler.h"

namespace palimpsest::eval {

struct MetricNode {
  MetricSetting setting;
  const Handler* handler = nullptr;
  MetricNeeds needs;
  // The data sets that the handler needs, each with its access key: the name under which the
  // handler asks for it.
  std::vector<std::pair<std::string, DatasetPlan>> data;
  bool masks_padding = true;
  // Access key and position in MetricGraph::nodes of each metric that is computed before.
  std::vector<std::pair<std::string, size_t>> pre_compute;
  std::vector<ReferenceLogSpec> reference_logs;  // as the description gives them
  std::vector<std::string> reference_files;      // paths of the logs that were read
  bool requested = false;
  std::vector<std::string> notes = {};  // remarks for readers of its number
};

struct MetricGraph {
  std::vector<MetricNode> nodes;  // each node comes after the nodes that it needs
  // The paths of the retain_model_logs of the first metric that has them. There may be several.
  std::vector<std::string> retain_logs;

  // The data set to whose examples the metric's values belong: its own, or that of the metrics it
  // is computed from. nullptr if the metric has none.
  const DatasetPlan* data_of(size_t node) const;
};

struct GraphTables {
  const HandlerTable& handlers;
  const DatasetTable& datasets;
  // The evaluator's choice, for every data set that has no choice of its own.
  attack::ClusterChoice clusters = {};
};

// The graph points into the tables. Throws Error for an unknown handler or data set, for a
// parameter that is missing or that the handler refuses, for two metrics with the same name, for a
// needed metric that does not exist, for a cycle (the message names its metrics) and for a
// reference log that cannot be read. If a reference log has several paths, metrics are compared
// with the first. A parameter that the handler does not know only causes a warning.
MetricGraph plan_metrics(const std::vector<MetricSpec>& metrics, const GraphTables& tables);

}  // namespace palimpsest::eval
