// The metrics of an evaluator as a graph. Each metric appears once, after the metrics that it
// needs, with its handler and the handler's needs. Planning the graph checks everything that can be
// checked without data or a model.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/eval/dataset.h"
#include "palimpsest/eval/evaluation_spec.h"
#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/internal/dataset_plan.h"

namespace palimpsest::eval {

struct MetricNode {
  MetricSetting setting;
  const Handler* handler = nullptr;
  MetricNeeds needs;
  // The data sets that the handler needs, each with the access key by which the handler asks for
  // it.
  std::vector<std::pair<std::string, DatasetPlan>> data;
  bool masks_padding = true;
  // The metrics that are computed before this one: access key, and position in MetricGraph::nodes.
  std::vector<std::pair<std::string, size_t>> pre_compute;
  std::vector<ReferenceLogSpec> reference_logs;  // as in the MetricSpec
  std::vector<std::string> reference_files;      // paths of the logs that were read
  bool requested = false;
  std::vector<std::string> notes = {};  // remarks for readers of the result

  // The data set with this access key, which the handler must need.
  const DatasetPlan& data_called(std::string_view access_key) const;
};

struct MetricGraph {
  std::vector<MetricNode> nodes;  // each node comes after the nodes that it needs
  // The retain_model_logs of the first metric that has any: one or more paths.
  std::vector<std::string> retain_logs;

  // The data set whose examples have the values of this metric. It is the metric's own data set, or
  // that of the metrics from which it is computed. Returns nullptr if there is none.
  const DatasetPlan* data_of(size_t node) const;
};

// The input of plan_metrics() besides the metrics.
struct GraphTables {
  const HandlerTable& handlers;
  const DatasetTable& datasets;
  // The evaluator's way of grouping examples, for data sets that set none.
  attack::ClusterChoice clusters = {};
};

// The graph refers to the tables, which must outlive it. If a reference log has several paths,
// metrics are compared with the first. A parameter that the handler does not know only causes a
// warning. Throws Error for an unknown handler or data set, for a parameter that is missing or that
// the handler refuses, for two metrics with the same name, for a needed metric that does not exist,
// for a cycle (the message names its metrics), and for a reference log that cannot be read.
MetricGraph plan_metrics(const std::vector<MetricSpec>& metrics, const GraphTables& tables);

}  // namespace palimpsest::eval
