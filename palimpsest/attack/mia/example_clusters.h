// Which examples of an audit belong together, such as the questions about one author or the pages
// of one document. Every interval, test and sample-size plan of the audit counts these clusters
// instead of examples (stat/clusters.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/stat/clusters.h"
#include "palimpsest/stat/family_permutation.h"

namespace palimpsest::attack {

// The user's statement about which examples belong together. At most one of the three fields may be
// set.
struct ClusterChoice {
  std::string key;           // a key of Trace::groups; equal values form a cluster
  int64_t size = 0;          // this many consecutive examples of a file form a cluster
  bool independent = false;  // the user states that no two examples belong together

  bool is_given() const { return !key.empty() || size > 0; }
};

// Throws Error if more than one field is set or the size is not positive.
void require_valid(const ClusterChoice& choice);

struct ExampleClusters {
  std::string name;             // "author", "blocks of 20"; empty: examples count as independent
  std::vector<int64_t> forget;  // the cluster number of each example, numbered over both sets
  std::vector<int64_t> holdout;

  bool is_given() const { return !name.empty(); }
  int64_t count() const;

  // A readable name for each cluster number: a value of the key, "forget 41 to 60", or an example's
  // index.
  std::vector<std::string> names = {};
};

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
