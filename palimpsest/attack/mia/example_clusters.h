// Which examples of an audit belong together, such as the questions about one author or the pages
// of one document. Every interval, test and sample-size plan of the audit counts these clusters
// instead of examples (stat/clusters.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace palimpsest::attack {

// The user's statement about which examples belong together. At most one of the three fields may be
// set.
struct ClusterChoice {
  std::string key;           // a key of Trace::groups; equal values form a cluster
  int64_t size = 0;          // this many consecutive examples of a file form a cluster
  bool independent = false;  // the user states that no two examples belong together

  // Whether examples are clustered. False if they were stated to be independent, and also if
  // nothing was stated.
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

// Whether an audit could distinguish some AUC from ½. `would_detect` is the smallest AUC that the
// audit would detect. The result is true if it is given and below 1.
bool detects_any_auc(const std::optional<double>& would_detect);
// A sentence that says this to a user before the audit runs. `sizes` names the examples: "30 forget
// and 30 holdout examples".
std::string detectable_auc_sentence(const std::string& sizes,
                                    const std::optional<double>& would_detect);

}  // namespace palimpsest::attack
