// Assigns a number to every cluster of examples in the data sets of one evaluator. A cluster is a
// group of examples that are not independent of each other, such as the questions about one author
// (stat/clusters.h). An example is identified by its record: in every metric, the answers,
// paraphrases and wrong answers to one question count as one example. Examples with equal values of
// a cluster key are in one cluster, even in different data sets. Without a cluster key, clusters
// are blocks of consecutive examples or single examples, and a cluster never extends beyond its own
// file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/eval/internal/metric_graph.h"
#include "palimpsest/eval/internal/passes.h"

namespace palimpsest::eval {

class DataClusters {
 public:
  // Throws Error if the data set of an attack lacks the cluster key.
  DataClusters(const MetricGraph& graph, const DataStore& data);

  // The cluster of an example in a data set of the graph. `example` is its key in a log: its index
  // ("3"), which may be followed by the number of an answer ("3/1"). Returns -1 if the data set has
  // no such example.
  int64_t of(const DatasetPlan& spec, std::string_view example) const;
  // The bit that stands for the file of this data set's records in Replicates::Without::files.
  uint64_t file_of(const DatasetPlan& spec) const { return 1ULL << files_.at(spec.source); }

 private:
  void add(const DatasetPlan& spec, const PreparedData& data);
  int64_t number(const std::string& name);

  std::unordered_map<std::string, int64_t> numbers_;  // by name
  std::map<std::string, int> files_;                  // by source
  // By the data set's key, then by the example's index.
  std::map<std::string, std::unordered_map<std::string, int64_t>> members_;
};

// The clusters of an attack's forget and holdout sets, in the form of
// attack/mia/example_clusters.h.
attack::ExampleClusters example_clusters(const DatasetPlan& forget_spec, const PreparedData& forget,
                                         const PreparedData& holdout);

}  // namespace palimpsest::eval
