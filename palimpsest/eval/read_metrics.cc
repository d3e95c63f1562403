#include "palimpsest/eval/internal/read_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/eval/internal/read_settings.h"

namespace palimpsest::eval {
namespace {

// Keys that every metric may have; all others are parameters of its handler.
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

// The access_key of an entry, else what it is called.
std::string access_key_of(const std::string& name, const config::Value& entry) {
  const config::Value* access = entry.is_map() ? entry.find_set("access_key") : nullptr;
  return access != nullptr ? access->as_text() : name;
}

bool reads_padding_mask(const config::Value& metric) {
  const config::Value* collators = metric.find_set("collators");
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

// What the metric sets itself, and of what it inherits that which its handler reads.
Parameter read_parameters(const config::Value& own, const config::Value& merged,
                          const Handler& handler) {
  Parameter::Map parameters;
  for (const auto& [key, value] : merged.as_map()) {
    const bool common = std::ranges::find(kCommonKeys, key) != kCommonKeys.end();
    const bool read = std::ranges::find(handler.keys, key, &HandlerKey::name) != handler.keys.end();
    if (common || (!read && own.find(key) == nullptr)) continue;
    parameters.emplace_back(key, to_parameter(value));
  }
  Parameter all(std::move(parameters));
  all.locate(own.where());
  return all;
}

std::vector<ReferenceLogSpec> read_reference_logs(const config::Value& metric) {
  std::vector<ReferenceLogSpec> all;
  const config::Value* logs = metric.find_set("reference_logs");
  if (logs == nullptr) return all;
  for (const auto& [name, log] : logs->as_map()) {
    const config::Value* path = log.find_set("path");
    ReferenceLogSpec spec{.name = name, .paths = read_log_paths(path)};
    spec.where = path != nullptr ? path->where() : log.where();
    const config::Value* include =
        spec.paths.empty() ? log.find_set("include") : &log.at("include");
    if (include != nullptr) {
      for (const auto& [other, entry] : include->as_map()) {
        spec.include.emplace_back(access_key_of(other, entry), other);
      }
    }
    all.push_back(std::move(spec));
  }
  return all;
}

class MetricReader {
 public:
  MetricReader(const config::Value& metrics, const HandlerTable& handlers)
      : metrics_(metrics), handlers_(handlers) {}

  std::vector<MetricSpec> read() {
    std::set<std::string> requested;
    for (const auto& [name, own] : metrics_.as_map()) {
      // Composition leaves null where a metric was taken out of the list.
      if (own.is_null()) continue;
      read_entry(name, own, nullptr);
      requested.insert(name);
    }
    for (MetricSpec& spec : specs_) {
      spec.requested = requested.contains(spec.name);
      spec.notes = std::move(notes_[spec.name]);
    }
    return std::move(specs_);
  }

 private:
  // Reads the metric of that name and what it pre_computes, unless it has been read.
  void read_entry(const std::string& name, const config::Value& entry,
                  const config::Value* parent) {
    // Metrics that need each other: plan_metrics() says which.
    if (std::ranges::find(path_, name) != path_.end()) return;
    const config::Value& own = meant(name, entry);
    const auto known = known_.find(name);
    if (known != known_.end()) {
      if (known->second != without_access_key(own)) {
        notes_[name].push_back(
            fmt::format("{} configures the metric '{}' differently from {}; the first one counts",
                        own.where(), name, known->second.where()));
        log_warning("{}", notes_[name].back());
      }
      return;
    }
    path_.push_back(name);
    specs_.push_back(read_metric(name, own, inherited(own, parent)));
    path_.pop_back();
    known_[name] = without_access_key(own);
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

  MetricSpec read_metric(const std::string& name, const config::Value& own,
                         const config::Value& merged) {
    const config::Value& named = own.at("handler");
    const Handler& handler = find_handler(handlers_, named.as_text(), named.where());
    MetricSpec spec{.name = name, .handler = handler.name, .where = own.where()};
    if (const config::Value* wanted = own.find_set("pre_compute")) {
      for (const auto& [other, entry] : wanted->as_map()) {
        read_entry(other, entry, &merged);
        spec.pre_compute.emplace_back(access_key_of(other, entry), other);
      }
    }
    to_parameter(merged);  // nothing may be missing, whether it is read or not
    spec.parameters = read_parameters(own, merged, handler);
    spec.reference_logs = read_reference_logs(merged);
    spec.masks_padding = reads_padding_mask(merged);
    if (const config::Value* datasets = merged.find_set("datasets")) {
      for (const auto& [data, dataset] : datasets->as_map()) {
        spec.datasets.push_back(read_dataset(data, dataset));
      }
    }
    return spec;
  }

  const config::Value& metrics_;
  const HandlerTable& handlers_;
  std::vector<MetricSpec> specs_;
  std::map<std::string, std::vector<std::string>> notes_;  // by metric
  std::map<std::string, config::Value> known_;             // as they were first configured
  std::vector<std::string> path_;  // metrics that are being read, the outermost first
};

}  // namespace

DatasetSpec read_dataset(const std::string& name, const config::Value& dataset) {
  DatasetSpec spec{.name = name, .access_key = name, .handler = "", .where = dataset.where()};
  if (dataset.is_null()) return spec;
  spec.access_key = access_key_of(name, dataset);
  if (const config::Value* handler = dataset.find_set("handler")) spec.handler = handler->as_text();
  if (const config::Value* args = dataset.find_set("args")) spec.args = to_parameter(*args);
  spec.cluster_size = read_cluster_size(dataset);
  return spec;
}

std::vector<MetricSpec> read_metrics(const config::Value& metrics, const HandlerTable& handlers) {
  return MetricReader(metrics, handlers).read();
}

}  // namespace palimpsest::eval
