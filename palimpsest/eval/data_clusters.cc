#include "palimpsest/eval/internal/data_clusters.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/attack/internal/mia/form_clusters.h"
#include "palimpsest/base/error.h"

namespace palimpsest::eval {
namespace {

constexpr int kMaxFiles = 63;

bool has_cluster_key(const PreparedData& data, const std::string& key) {
  return !data.examples.empty() && data.examples.front().groups.contains(key);
}

// An attack's sets need the key; any other data set may do without (see dataset.cc).
void require_cluster_key(const DatasetPlan& spec, const PreparedData& data) {
  if (spec.clusters.key.empty() || has_cluster_key(data, spec.clusters.key)) return;
  throw Error({.what = fmt::format("no example of the data set '{}' has the key '{}', which "
                                   "cluster_key names",
                                   spec.name, spec.clusters.key),
               .where = data.title,
               .hint = "give every record the key, or set cluster_size for blocks in file order "
                       "(cluster_key: null)"});
}

}  // namespace

DataClusters::DataClusters(const MetricGraph& graph, const DataStore& data) {
  for (const MetricNode& node : graph.nodes) {
    for (const auto& [access_key, spec] : node.data) {
      if (node.handler->is_attack()) require_cluster_key(spec, data.at(spec.key));
      add(spec, data.at(spec.key));
    }
  }
}

void DataClusters::add(const DatasetPlan& spec, const PreparedData& data) {
  // More files than bits share the last one: their clusters then count as one stratum.
  const int next = std::min(static_cast<int>(files_.size()), kMaxFiles);
  files_.try_emplace(spec.source, next);
  const auto [entry, fresh] = members_.try_emplace(spec.key);
  if (!fresh) return;
  auto& members = entry->second;
  const bool keyed = !spec.clusters.key.empty() && has_cluster_key(data, spec.clusters.key);
  for (const data::Example& example : data.examples) {
    if (members.contains(example.index)) continue;
    std::string name;
    if (keyed) {
      name = "key " + example.groups.at(spec.clusters.key);
    } else if (spec.clusters.size > 0) {
      const auto seen = static_cast<int64_t>(members.size());
      name = fmt::format("block {} {}", seen / spec.clusters.size, spec.source);
    } else {
      name = fmt::format("example {} {}", example.index, spec.source);
    }
    members.emplace(example.index, number(name));
  }
}

int64_t DataClusters::number(const std::string& name) {
  return numbers_.emplace(name, static_cast<int64_t>(numbers_.size())).first->second;
}

int64_t DataClusters::of(const DatasetPlan& spec, std::string_view example) const {
  const auto& members = members_.at(spec.key);
  const auto found = members.find(std::string(example.substr(0, example.find('/'))));
  return found == members.end() ? -1 : found->second;
}

attack::ExampleClusters example_clusters(const DatasetPlan& forget_spec, const PreparedData& forget,
                                         const PreparedData& holdout) {
  const attack::ClusterChoice& choice = forget_spec.clusters;
  return attack::clusters_of(choice,
                             attack::cluster_source(forget.examples, choice.key, forget.title),
                             attack::cluster_source(holdout.examples, choice.key, holdout.title));
}

}  // namespace palimpsest::eval
