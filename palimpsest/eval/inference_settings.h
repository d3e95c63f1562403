// What an evaluator's configuration says about drawing conclusions from its numbers:
//
//   cluster_size: 20          # blocks of so many consecutive examples belong together (TOFU: an author)
//   cluster_key: author       # or: examples with the same value of this key of the data do
//   independent: true         # or: stated, no two examples belong together
//   margin: 0.05              # AUCs this close to ½ count as no different
//   primary: mia_loss         # the one attack that answers, named beforehand; null: all of them
//   retain_logs_path: …       # log of a model that never saw the forget set, or a list of several
//
// All of them may be absent or null, as in open-unlearning's own configurations: then every example
// counts as independent. They change no published number, only intervals and the answer.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/config/value.h"

namespace palimpsest::eval {

struct InferenceSettings {
  ClusterChoice clusters;
  double margin = 0.05;  // in (0, 0.5)
  std::string primary;   // a metric's name; empty: the whole family
  std::vector<std::string> retain_logs;
};

// Throws Error (with file, line and key) for a value of the wrong type or out of range, and where
// more than one of cluster_size, cluster_key and independent is given.
InferenceSettings read_inference_settings(const config::Value& evaluator);

// The size that a data set states for itself; 0 where it states none. Throws Error below 1.
int64_t read_cluster_size(const config::Value& owner);

// A path or a list of them; none for null.
std::vector<std::string> read_log_paths(const config::Value* paths);

}  // namespace palimpsest::eval
