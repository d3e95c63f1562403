// Which examples of a run belong together. The files of the run say it ("clusters" in the audit of
// mia.json and in NAME_RUN.json); for logs that do not, the user may:
//
//   {"key": "author", "forget": {"0": "Ada", "1": "Ada"}, "holdout": {"0": "Bob"}}
//   {"key": "blocks of 20", …}      blocks in file order, for every data set
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

class ClusterLookup {
 public:
  ClusterLookup() = default;
  // Clusters by blocks of this size; 0 means none.
  explicit ClusterLookup(int64_t size);
  // Clusters from a file. Throws Error if it is not such an object; `where` names the file.
  ClusterLookup(const Json& clusters, const std::string& where);
  // Clusters from values: their name, and the clusters of the examples of both sets.
  ClusterLookup(std::string name, ClusterByExample forget, ClusterByExample holdout);

  bool is_given() const { return !name_.empty(); }
  const std::string& name() const { return name_; }

  // The clusters of the examples with these keys, in file order, of a data set ("forget",
  // "holdout", "retain" …). Empty if nothing is known about the set; then each example is its own
  // cluster.
  ClusterByExample of(std::string_view data, const std::vector<std::string>& keys) const;

 private:
  std::string name_;
  int64_t size_ = 0;
  ClusterByExample forget_;
  ClusterByExample holdout_;
};

}  // namespace palimpsest::report
