// Which examples of an evaluator's data sets belong together, numbered over all of them. An example
// is identified by its record: the answers, paraphrases and wrong answers to one question are one
// example in every metric that uses it. Examples with equal values of a cluster key are in one
// cluster, even across data sets. Blocks and independent examples never extend beyond their own
// file.
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
  // Throws Error if the data set of an attack lacks the cluster key.
  DataClusters(const MetricGraph& graph, const DataStore& data);

  // The cluster of the example with this key in a log ("3", "3/1"), for a data set of the graph.
  // Returns -1 if the data set has no such example.
  int64_t of(const DatasetPlan& spec, std::string_view example) const;
  // The bit that stands for this data set's file of records, as in Replicates.
  uint64_t file_of(const DatasetPlan& spec) const { return 1ULL << files_.at(spec.source); }

 private:
  void add(const DatasetPlan& spec, const PreparedData& data);
  int64_t number(const std::string& name);

  std::unordered_map<std::string, int64_t> numbers_;                         // by name
  std::map<std::string, int> files_;                                         // by source
  std::map<std::string, std::unordered_map<std::string, int64_t>> members_;  // by key, then index
};

// The forget and holdout set of an attack in terms of attack/mia/example_clusters.h.
attack::ExampleClusters example_clusters(const DatasetPlan& forget_spec, const PreparedData& forget,
                                         const PreparedData& holdout);

}  // namespace palimpsest::eval
