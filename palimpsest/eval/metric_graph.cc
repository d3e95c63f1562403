#include "palimpsest/eval/metric_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "palimpsest/base/error.h"
#include "palimpsest/base/log.h"
#include "palimpsest/eval/inference_settings.h"
#include "palimpsest/eval/reference_value.h"

namespace palimpsest::eval {
namespace {

// Keys that every metric may have.
constexpr std::array<std::string_view, 7> kCommonKeys = {
    "handler",        "datasets",   "collators", "pre_compute",
    "reference_logs", "access_key", "batch_size"};
constexpr std::string_view kCollator = "DataCollatorForSupervisedDataset";

// What a metric has of its own, then what it inherits.
config::Value inherited(const config::Value& own, const config::Value* parent) {
  config::Value merged = own;
  if (parent == nullptr) return merged;
  for (const auto& [key, value] : parent->as_map()) {
    if (key != "pre_compute" && key != "access_key" && merged.find(key) == nullptr) {
      merged.set(key, value);
    }
  }
  return merged;
}

// The entry without what only says how its parent calls it.
config::Value without_access_key(config::Value entry) {
  entry.erase("access_key");
  return entry;
}

void warn_of_unknown_keys(const std::string& name, const config::Value& own,
                          const Handler& handler) {
  for (const auto& [key, value] : own.as_map()) {
    const bool known =
        std::ranges::find(kCommonKeys, key) != kCommonKeys.end() ||
        std::ranges::find(handler.keys, key, &HandlerKey::name) != handler.keys.end();
    if (!known) log_warning("{}: the handler {} does not use '{}'", name, handler.name, key);
  }
}

bool reads_padding_mask(const config::Value& config) {
  const config::Value* collators = config.find_set("collators");
  if (collators == nullptr) return true;
  bool masks = true;
  for (const auto& [name, collator] : collators->as_map()) {
    const config::Value& handler = collator.at("handler");
    if (handler.as_text() != kCollator) {
      throw Error({.what = fmt::format("there is no collator '{}'", handler.as_text()),
                   .where = handler.where(),
                   .expected = std::string(kCollator)});
    }
    const config::Value* args = collator.find_set("args");
    const config::Value* mask = args != nullptr ? args->find_set("attention_mask") : nullptr;
    if (mask == nullptr) continue;
    if (mask->as_text() != "ne_pad" && mask->as_text() != "full") {
      throw Error({.what = fmt::format("there is no attention_mask '{}'", mask->as_text()),
                   .where = mask->where(),
                   .expected = "ne_pad or full"});
    }
    masks = mask->as_text() == "ne_pad";
  }
  return masks;
}

std::vector<std::pair<std::string, DatasetSpec>> read_data(const MetricSetting& setting,
                                                           const MetricNeeds& needs,
                                                           const GraphTables& tables) {
  std::vector<std::pair<std::string, DatasetSpec>> data;
  if (needs.data.empty()) return data;
  std::vector<DatasetSpec> all;
  std::vector<std::string> access_keys;
  const config::Value& datasets = setting.config.at("datasets");
  for (const auto& [name, dataset] : datasets.as_map()) {
    all.push_back(read_dataset(name, dataset, tables.datasets, tables.clusters));
    access_keys.push_back(all.back().access_key);
  }
  for (const std::string& key : needs.data) {
    const auto found = std::ranges::find(access_keys, key);
    const bool only = key == kOnlyData && all.size() == 1;
    if (!only && found == access_keys.end()) {
      throw Error({.what = fmt::format("the metric '{}' needs {}", setting.name,
                                       key == kOnlyData
                                           ? "one data set"
                                           : fmt::format("a data set with access_key '{}'", key)),
                   .where = datasets.where(),
                   .found = fmt::format("{}", fmt::join(access_keys, ", "))});
    }
    const DatasetSpec& spec =
        only ? all.front() : all[static_cast<size_t>(found - access_keys.begin())];
    if (needs.traces && spec.predict_with_generate) {
      throw Error({.what = fmt::format("the metric '{}' scores the answers of '{}', which "
                                       "predict_with_generate takes away",
                                       setting.name, spec.name),
                   .where = spec.args.where(),
                   .hint = "set predict_with_generate to false"});
    }
    data.emplace_back(key, spec);
  }
  return data;
}

class GraphReader {
 public:
  GraphReader(const config::Value& metrics, const GraphTables& tables)
      : metrics_(metrics), tables_(tables) {}

  MetricGraph read() {
    for (const auto& [name, own] : metrics_.as_map()) {
      // Composition leaves null where a metric was taken out of the list.
      if (!own.is_null()) graph_.nodes[node_of(name, own, nullptr)].requested = true;
    }
    return std::move(graph_);
  }

 private:
  // The node of that name; made if there is none yet.
  size_t node_of(const std::string& name, const config::Value& entry, const config::Value* parent) {
    require_no_cycle(name, entry);
    const config::Value& own = meant(name, entry);
    const auto known = known_.find(name);
    if (known != known_.end()) {
      if (known->second.own != without_access_key(own)) {
        log_warning("{} configures the metric '{}' in another way than {}; the first one counts",
                    own.where(), name, known->second.own.where());
      }
      return known->second.node;
    }
    path_.push_back(name);
    MetricNode node = read_node(name, own, inherited(own, parent));
    path_.pop_back();
    graph_.nodes.push_back(std::move(node));
    known_[name] = {graph_.nodes.size() - 1, without_access_key(own)};
    return graph_.nodes.size() - 1;
  }

  // An entry without a handler stands for the metric of that name in the list.
  const config::Value& meant(const std::string& name, const config::Value& entry) const {
    if (entry.find_set("handler") != nullptr) return entry;
    const config::Value* listed = metrics_.find_set(name);
    if (listed != nullptr && listed->find_set("handler") != nullptr) return *listed;
    throw Error({.what = fmt::format("the metric '{}' has no handler", name),
                 .where = entry.where(),
                 .hint = "set its handler, or add a metric of that name to the list"});
  }

  void require_no_cycle(const std::string& name, const config::Value& entry) const {
    const auto begin = std::ranges::find(path_, name);
    if (begin == path_.end()) return;
    throw Error({.what = fmt::format("the metrics need each other in a cycle: {} → {}",
                                     fmt::join(begin, path_.end(), " → "), name),
                 .where = entry.where()});
  }

  MetricNode read_node(const std::string& name, const config::Value& own, config::Value merged) {
    MetricNode node;
    node.handler = &find_handler(tables_.handlers, own.at("handler"));
    warn_of_unknown_keys(name, own, *node.handler);
    node.setting.name = name;
    node.setting.config = std::move(merged);
    if (const config::Value* wanted = own.find_set("pre_compute")) {
      for (const auto& [other, entry] : wanted->as_map()) {
        const config::Value* access = entry.find_set("access_key");
        const std::string key = access != nullptr ? access->as_text() : other;
        node.pre_compute.emplace_back(key, node_of(other, entry, &node.setting.config));
        node.setting.pre_compute.push_back(key);
      }
    }
    read_reference_logs(node);
    require_no_missing_values(node.setting.config);
    node.needs = node.handler->needs(node.setting);
    node.masks_padding = reads_padding_mask(node.setting.config);
    node.data = read_data(node.setting, node.needs, tables_);
    return node;
  }

  void read_reference_logs(MetricNode& node) {
    const config::Value* logs = node.setting.config.find_set("reference_logs");
    if (logs == nullptr) return;
    for (const auto& [name, log] : logs->as_map()) {
      const config::Value* path = log.find_set("path");
      const std::vector<std::string> paths = read_log_paths(path);
      if (paths.empty()) continue;
      if (name == kRetainLogs && graph_.retain_logs.empty()) graph_.retain_logs = paths;
      auto& metrics = node.setting.reference_logs[name];
      const EvalLog& content = log_at(paths.front(), *path);
      node.reference_files.push_back(paths.front());
      for (const auto& [metric, include] : log.at("include").as_map()) {
        const config::Value* access = include.is_map() ? include.find_set("access_key") : nullptr;
        std::optional<MetricResult>& found =
            metrics[access != nullptr ? access->as_text() : metric];
        const auto there = content.find(metric);
        if (there != content.end()) {
          found = there->second;
        } else {
          log_warning("{}: {} has no metric '{}'", node.setting.name, paths.front(), metric);
        }
      }
    }
  }

  const EvalLog& log_at(const std::string& path, const config::Value& said) {
    const auto known = logs_.find(path);
    if (known != logs_.end()) return known->second;
    try {
      return logs_[path] = read_eval_log(path);
    } catch (const Error& error) {
      throw error.located(said.where());
    }
  }

  struct Known {
    size_t node = 0;
    config::Value own;
  };

  const config::Value& metrics_;
  const GraphTables& tables_;
  MetricGraph graph_;
  std::map<std::string, Known> known_;
  std::vector<std::string> path_;  // metrics that are being read, the outermost first
  std::map<std::string, EvalLog> logs_;
};

}  // namespace

const DatasetSpec* MetricGraph::data_of(size_t node) const {
  const MetricNode& metric = nodes[node];
  if (!metric.data.empty()) return &metric.data.front().second;
  return metric.pre_compute.empty() ? nullptr : data_of(metric.pre_compute.front().second);
}

MetricGraph read_metrics(const config::Value& metrics, const GraphTables& tables) {
  MetricGraph graph = GraphReader(metrics, tables).read();
  if (graph.nodes.empty()) {
    throw Error({.what = "there is no metric to compute", .where = metrics.where()});
  }
  return graph;
}

void require_no_missing_values(const config::Value& value) {
  if (value.is_map()) {
    for (const auto& [key, child] : value.as_map()) require_no_missing_values(child);
  } else if (value.is_list()) {
    for (const config::Value& child : value.as_list()) require_no_missing_values(child);
  } else {
    value.require_readable();
  }
}

}  // namespace palimpsest::eval
