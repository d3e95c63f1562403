// Forms the clusters of an audit (mia/example_clusters.h) as the user chose them, and gives scores
// to the statistics together with their clusters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/base/error.h"
#include "palimpsest/stat/internal/family_permutation.h"

namespace palimpsest::attack {

// If there is neither a key nor a size, each example is its own cluster. Alternatives of one
// example (with the same index) are never separated; in blocks they count as one example. Equal
// values of the key in both sets are one cluster. Throws Error if an example lacks the key.
ExampleClusters clusters_of(const ClusterChoice& choice, const TraceScores& forget,
                            const TraceScores& holdout);

// The examples of a set for callers that have no traces, such as readers of logs.
struct ClusterSource {
  std::vector<std::string> index;  // one per example
  std::vector<std::string> value;  // the value of the key, one per example; or empty
};
ExampleClusters clusters_of(const ClusterChoice& choice, const ClusterSource& forget,
                            const ClusterSource& holdout);
// The source of examples that have `index` and `groups`, as data::Example has. Throws Error if one
// lacks the key; `where` says where the examples are.
template <class Example>
ClusterSource cluster_source(const std::vector<Example>& examples, const std::string& key,
                             const std::string& where) {
  ClusterSource source;
  for (const Example& example : examples) {
    source.index.push_back(example.index);
    if (key.empty()) continue;
    const auto value = example.groups.find(key);
    if (value == example.groups.end()) {
      throw Error({.what = "the record '" + example.index + "' has no '" + key +
                           "', by which records are to be clustered",
                   .where = where});
    }
    source.value.push_back(value->second);
  }
  return source;
}

// The defined scores in the form of to_labelled() (forget examples are the positives), each with
// the cluster of its example. If `also` is given, only examples that also have a score there are
// kept.
stat::ClusteredScores to_clustered(const ScoreColumns& columns, const ExampleClusters& clusters,
                                   const ScoreColumns* also = nullptr);

// The smallest AUC that an audit of sets of these sizes would distinguish from ½ with probability
// 0.8. It is computed before anything is run. Returns nullopt if there are too few clusters to
// detect any AUC. If clusters have several examples, their intraclass correlation is assumed to be
// 0.1. In TOFU, clusters of the questions about one author have about that value.
std::optional<double> planned_detection(const ExampleClusters& clusters);

}  // namespace palimpsest::attack
