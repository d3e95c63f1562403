#include "palimpsest/eval/internal/metric_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/eval/internal/reference_value.h"
#include "palimpsest/eval/internal/retain_log.h"

namespace palimpsest::eval {
namespace {

void warn(MetricNode& node, std::string note) {
  log_warning("{}", note);
  node.notes.push_back(std::move(note));
}

void warn_of_unknown_keys(MetricNode& node) {
  const Handler& handler = *node.handler;
  for (const auto& [key, value] : node.setting.parameters.as_map()) {
    if (std::ranges::find(handler.keys, key, &HandlerKey::name) != handler.keys.end()) continue;
    warn(node,
         fmt::format("{}: the handler {} does not use '{}'", node.setting.name, handler.name, key));
  }
}

// Keys that are not given have their handler's defaults, for the computation, the record and the
// names in tables alike.
void set_defaults(MetricNode& node) {
  for (const HandlerKey& key : node.handler->keys) {
    if (key.default_value.is_null() || node.setting.parameters.find_set(key.name) != nullptr) {
      continue;
    }
    node.setting.parameters.set(key.name, key.default_value);
  }
}

std::vector<std::pair<std::string, DatasetPlan>> plan_data(const MetricSpec& spec,
                                                           const MetricNeeds& needs,
                                                           const GraphTables& tables) {
  std::vector<std::pair<std::string, DatasetPlan>> data;
  if (needs.data.empty()) return data;
  if (spec.datasets.empty()) {
    throw Error(
        {.what = fmt::format("the metric '{}' has no 'datasets'", spec.name), .where = spec.where});
  }
  std::vector<DatasetPlan> all;
  std::vector<std::string> access_keys;
  for (const DatasetSpec& dataset : spec.datasets) {
    all.push_back(plan_dataset(dataset, tables.datasets, tables.clusters));
    access_keys.push_back(all.back().access_key);
  }
  for (const std::string& key : needs.data) {
    const auto found = std::ranges::find(access_keys, key);
    const bool only = key == kOnlyData && all.size() == 1;
    if (!only && found == access_keys.end()) {
      throw Error({.what = fmt::format("the metric '{}' needs {}", spec.name,
                                       key == kOnlyData
                                           ? "one data set"
                                           : fmt::format("a data set with access_key '{}'", key)),
                   .where = spec.where,
                   .found = fmt::format("{}", fmt::join(access_keys, ", "))});
    }
    const DatasetPlan& plan =
        only ? all.front() : all[static_cast<size_t>(found - access_keys.begin())];
    if (needs.traces && plan.predict_with_generate) {
      throw Error({.what = fmt::format("the metric '{}' scores the answers of '{}', which "
                                       "predict_with_generate removes",
                                       spec.name, plan.name),
                   .where = plan.args.where(),
                   .hint = "set predict_with_generate to false"});
    }
    data.emplace_back(key, plan);
  }
  return data;
}

class GraphPlanner {
 public:
  GraphPlanner(const std::vector<MetricSpec>& metrics, const GraphTables& tables)
      : metrics_(metrics), tables_(tables) {}

  MetricGraph plan() {
    for (const MetricSpec& spec : metrics_) {
      if (specs_.emplace(spec.name, &spec).second) continue;
      throw Error(
          {.what = fmt::format("two metrics are called '{}'", spec.name), .where = spec.where});
    }
    for (const MetricSpec& spec : metrics_) node_of(spec);
    return std::move(graph_);
  }

 private:
  // The node of this metric; made if there is none yet.
  size_t node_of(const MetricSpec& spec) {
    require_no_cycle(spec);
    const auto known = nodes_.find(spec.name);
    if (known != nodes_.end()) return known->second;
    path_.push_back(spec.name);
    MetricNode node = plan_node(spec);
    path_.pop_back();
    graph_.nodes.push_back(std::move(node));
    return nodes_[spec.name] = graph_.nodes.size() - 1;
  }

  void require_no_cycle(const MetricSpec& spec) const {
    const auto begin = std::ranges::find(path_, spec.name);
    if (begin == path_.end()) return;
    throw Error({.what = fmt::format("the metrics need each other in a cycle: {} → {}",
                                     fmt::join(begin, path_.end(), " → "), spec.name),
                 .where = spec.where});
  }

  MetricNode plan_node(const MetricSpec& spec) {
    MetricNode node{.setting = {.name = spec.name, .parameters = spec.parameters},
                    .handler = &find_handler(tables_.handlers, spec.handler, spec.where),
                    .masks_padding = spec.masks_padding,
                    .reference_logs = spec.reference_logs,
                    .requested = spec.requested,
                    .notes = spec.notes};
    node.setting.where = spec.where;
    warn_of_unknown_keys(node);
    set_defaults(node);
    for (const auto& [key, other] : spec.pre_compute) {
      const auto found = specs_.find(other);
      if (found == specs_.end()) {
        throw Error({.what = fmt::format("the metric '{}' needs '{}', which is not in the list",
                                         spec.name, other),
                     .where = spec.where});
      }
      node.pre_compute.emplace_back(key, node_of(*found->second));
      node.setting.pre_compute.push_back(key);
    }
    for (const ReferenceLogSpec& log : spec.reference_logs) read_reference_log(log, node);
    node.needs = node.handler->needs(node.setting);
    if (node.handler->is_attack()) require_both_sets(node);
    node.data = plan_data(spec, node.needs, tables_);
    return node;
  }

  static void require_both_sets(const MetricNode& node) {
    for (const char* set : {"forget", "holdout"}) {
      if (std::ranges::find(node.needs.data, set) != node.needs.data.end()) continue;
      throw Error({.what = fmt::format("the metric handler '{}' is of an attack and does not need "
                                       "the data '{}'",
                                       node.handler->name, set),
                   .where = node.setting.where,
                   .hint = "its needs() must name 'forget' and 'holdout'"});
    }
  }

  void read_reference_log(const ReferenceLogSpec& log, MetricNode& node) {
    if (log.paths.empty()) return;
    if (log.name == kRetainLogs && graph_.retain_logs.empty()) graph_.retain_logs = log.paths;
    auto& metrics = node.setting.reference_logs[log.name];
    const EvalLog& content = log_at(log);
    node.reference_files.push_back(log.paths.front());
    for (const auto& [access_key, metric] : log.include) {
      std::optional<MetricResult>& found = metrics[access_key];
      const auto there = content.find(metric);
      if (there != content.end()) {
        found = there->second;
      } else {
        warn(node, fmt::format("{}: {} has no metric '{}'", node.setting.name, log.paths.front(),
                               metric));
      }
    }
  }

  const EvalLog& log_at(const ReferenceLogSpec& log) {
    const std::string& path = log.paths.front();
    const auto known = logs_.find(path);
    if (known != logs_.end()) return known->second;
    try {
      return logs_[path] = read_retain_log(path).metrics;
    } catch (const Error& error) {
      throw error.located(log.where);
    }
  }

  const std::vector<MetricSpec>& metrics_;
  const GraphTables& tables_;
  MetricGraph graph_;
  std::map<std::string, const MetricSpec*> specs_;
  std::map<std::string, size_t> nodes_;
  std::vector<std::string> path_;  // metrics that are being planned, the outermost first
  std::map<std::string, EvalLog> logs_;
};

}  // namespace

const DatasetPlan& MetricNode::data_called(std::string_view access_key) const {
  const auto found =
      std::ranges::find(data, access_key, &std::pair<std::string, DatasetPlan>::first);
  PALIMPSEST_CHECK(found != data.end());
  return found->second;
}

const DatasetPlan* MetricGraph::data_of(size_t node) const {
  const MetricNode& metric = nodes[node];
  if (!metric.data.empty()) return &metric.data.front().second;
  return metric.pre_compute.empty() ? nullptr : data_of(metric.pre_compute.front().second);
}

MetricGraph plan_metrics(const std::vector<MetricSpec>& metrics, const GraphTables& tables) {
  return GraphPlanner(metrics, tables).plan();
}

}  // namespace palimpsest::eval
