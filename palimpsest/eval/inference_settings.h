// The settings of an evaluator for statistical inference: how examples are grouped into clusters
// (stat/clusters.h), the margin, and the logs to compare with. In a configuration they are written
// as follows:
//
//   cluster_size: 20          # this many consecutive examples form a cluster (TOFU: one author)
//   cluster_key: author       # or: examples with the same value of this key form a cluster
//   independent: true         # or: the user states that all examples are independent
//   margin: 0.05              # an AUC this close to ½ counts as no different from ½
//   primary: mia_loss         # the one attack that decides, chosen beforehand; null: all of them
//   retain_logs_path: …       # log of a model that never saw the forget set, or a list of logs
//
// All of them may be absent or null, as in open-unlearning's own configurations. Then every example
// counts as independent. The settings change no number that a benchmark defines. They change only
// the intervals and the answer (attack/mia/answer.h).
#pragma once

#include <string>
#include <vector>

#include "palimpsest/attack/mia/example_clusters.h"

namespace palimpsest::eval {

struct InferenceSettings {
  attack::ClusterChoice clusters = {};
  double margin = 0.05;      // in (0, 0.5)
  std::string primary = {};  // name of a metric; empty: all attacks decide
  // Empty: the logs that the metrics refer to as retain_model_logs.
  std::vector<std::string> retain_logs = {};
};

// Throws Error if the margin is out of range, or if more than one way of grouping examples is set.
void require_valid(const InferenceSettings& settings);

}  // namespace palimpsest::eval
