// Which examples of an evaluator's data sets belong together, numbered over all of them. An example is
// known by its record: the answers, paraphrases and wrong answers to one question are one example in
// every metric that looks at it. Equal values of a cluster key are one cluster in whatever data set
// they are; blocks and independent examples belong to their own file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/eval/metric_graph.h"
#include "palimpsest/eval/passes.h"

namespace palimpsest::eval {

class DataClusters {
 public:
  // Throws Error where an attack's data set does not have the cluster key.
  DataClusters(const MetricGraph& graph, const DataStore& data);

  // Of the example with this key in a log ("3", "3/1") of a data set of the graph; -1 for one that the
  // data set does not have.
  int64_t of(const DatasetSpec& spec, std::string_view example) const;
  // One bit per file of records: which of them a cluster has examples in.
  uint64_t file_of(const DatasetSpec& spec) const { return 1ULL << files_.at(spec.source); }

 private:
  void add(const DatasetSpec& spec, const PreparedData& data);
  int64_t number(const std::string& name);

  std::unordered_map<std::string, int64_t> numbers_;                         // by name
  std::map<std::string, int> files_;                                         // by source
  std::map<std::string, std::unordered_map<std::string, int64_t>> members_;  // by key, then index
};

// The forget and holdout set of an attack in terms of attack/mia/example_clusters.h.
ExampleClusters example_clusters(const DatasetSpec& forget_spec, const PreparedData& forget,
                                 const PreparedData& holdout);

}  // namespace palimpsest::eval
