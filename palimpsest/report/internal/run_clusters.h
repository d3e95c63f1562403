// Which examples of a run belong together, as its files say ("clusters" of mia.json's audit and of
// NAME_RUN.json) or as the user does for logs that say nothing:
//
//   {"key": "author", "forget": {"0": "Ada", "1": "Ada"}, "holdout": {"0": "Bob"}}
//   {"key": "blocks of 20", …}      blocks in file order, of every data set but TOFU's real authors and
//                                   world facts (ra_…, wf_…), whose questions stand alone
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

class RunClusters {
 public:
  RunClusters() = default;
  // By blocks; size 0: none.
  explicit RunClusters(int64_t size);
  // As a file has them. Throws Error for what is no such object; `where` names the file.
  RunClusters(const Json& clusters, const std::string& where);
  // As a value has them: name, then clusters of the examples of both sets.
  RunClusters(std::string name, ClusterByExample forget, ClusterByExample holdout);

  bool is_given() const { return !name_.empty(); }
  const std::string& name() const { return name_; }

  // Of the examples with these keys, in file order, of a data set ("forget", "holdout", "retain" …).
  // Empty where nothing is known of the set: then each is a cluster of its own.
  ClusterByExample of(std::string_view data, const std::vector<std::string>& keys) const;

 private:
  std::string name_;
  int64_t size_ = 0;
  ClusterByExample forget_;
  ClusterByExample holdout_;
};

}  // namespace palimpsest::report
