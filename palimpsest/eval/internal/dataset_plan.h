// The data sets of an evaluation that are about to be prepared: their handlers were found, and
// their arguments were checked.
#pragma once

#include <string>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/eval/dataset.h"
#include "palimpsest/eval/evaluation_spec.h"
#include "palimpsest/eval/parameter.h"

namespace palimpsest::eval {

// A data set whose handler was found and whose arguments were checked. Its data have not been read
// yet.
struct DatasetPlan {
  std::string name;
  std::string access_key;  // the name by which the metric's handler asks for this data
  const DatasetHandler* handler = nullptr;
  Parameter args;
  // If true, generations continue the prompt of an example; if false, the whole example.
  bool predict_with_generate = false;
  std::string key;                 // equal for two data sets that give the same examples
  std::string source;              // equal for two data sets that are made from the same records
  attack::ClusterChoice clusters;  // how examples are grouped into clusters
};

// `clusters` is the evaluator's way of grouping examples into clusters. It applies to data sets
// that have none of their own. The plan refers to the table, which must outlive it. Throws Error
// for an unknown handler or argument; the message lists the known ones.
DatasetPlan plan_dataset(const DatasetSpec& spec, const DatasetTable& table,
                         const attack::ClusterChoice& clusters = {});

// Reads the data and prepares the examples. Throws Error if something in the data is missing or
// malformed.
PreparedData prepare(const DatasetPlan& plan, const DataContext& context);

}  // namespace palimpsest::eval
