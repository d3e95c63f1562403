#include "palimpsest/report/internal/cluster_lookup.h"

#include <fmt/format.h>

#include <charconv>

#include "palimpsest/attack/internal/mia/form_clusters.h"
#include "palimpsest/base/error.h"

namespace palimpsest::report {
namespace {

constexpr std::string_view kBlocksOf = "blocks of ";

std::string index_part(const std::string& key) {
  return key.substr(0, key.find('/'));
}

int64_t size_of_blocks(const std::string& name) {
  if (!name.starts_with(kBlocksOf)) return 0;
  int64_t size = 0;
  const char* end = name.data() + name.size();
  const auto [stopped, failure] = std::from_chars(name.data() + kBlocksOf.size(), end, size);
  return failure == std::errc() && stopped == end && size > 0 ? size : 0;
}

ClusterByExample clusters_from(const Json& object, const char* set, const std::string& where) {
  const auto found = object.find(set);
  if (found == object.end() || found->is_null()) return {};
  ClusterByExample clusters;
  if (found->is_object()) {
    for (const auto& [key, cluster] : found->items()) {
      clusters[key] = cluster.is_string() ? cluster.get<std::string>() : to_line(cluster);
    }
    return clusters;
  }
  throw Error({.what = fmt::format("'{}' of the clusters is not an object", set),
               .where = where,
               .expected = "one cluster per example: {\"0\": \"author 1\"}",
               .found = describe(*found)});
}

// Alternatives of an example may stand under the example alone.
const std::string* find_cluster(const ClusterByExample& clusters, const std::string& key) {
  auto found = clusters.find(key);
  if (found == clusters.end()) found = clusters.find(index_part(key));
  return found == clusters.end() ? nullptr : &found->second;
}

}  // namespace

ClusterLookup::ClusterLookup(int64_t size)
    : name_(size > 0 ? fmt::format("{}{}", kBlocksOf, size) : ""), size_(size) {}

ClusterLookup::ClusterLookup(const Json& clusters, const std::string& where) {
  if (clusters.is_null()) return;
  if (!clusters.is_object()) {
    throw Error(
        {.what = "'clusters' is not an object", .where = where, .found = describe(clusters)});
  }
  const auto key = clusters.find("key");
  if (key == clusters.end() || !key->is_string()) return;
  name_ = key->get<std::string>();
  size_ = size_of_blocks(name_);
  forget_ = clusters_from(clusters, "forget", where);
  holdout_ = clusters_from(clusters, "holdout", where);
}

ClusterLookup::ClusterLookup(std::string name, ClusterByExample forget, ClusterByExample holdout)
    : name_(std::move(name)),
      size_(size_of_blocks(name_)),
      forget_(std::move(forget)),
      holdout_(std::move(holdout)) {}

ClusterByExample ClusterLookup::of(std::string_view data,
                                   const std::vector<std::string>& keys) const {
  const ClusterByExample* known = data == "forget"    ? &forget_
                                  : data == "holdout" ? &holdout_
                                                      : nullptr;
  ClusterByExample clusters;
  if (known != nullptr && !known->empty()) {
    for (const std::string& key : keys) {
      const std::string* cluster = find_cluster(*known, key);
      // Another set under the same name: nothing is known of it.
      if (cluster == nullptr) return {};
      clusters[key] = *cluster;
    }
    return clusters;
  }
  if (size_ == 0) return {};
  attack::ClusterSource source;
  for (const std::string& key : keys) source.index.push_back(index_part(key));
  const attack::ExampleClusters blocks = attack::clusters_of({.size = size_}, source, {});
  for (size_t i = 0; i < keys.size(); ++i)
    clusters[keys[i]] = fmt::format("{} block {}", data, blocks.forget[i]);
  return clusters;
}

}  // namespace palimpsest::report
