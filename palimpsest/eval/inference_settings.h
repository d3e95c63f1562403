// The settings of an evaluator for statistical inference: which examples belong together, the
// margin, and what to compare with. In a configuration:
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

namespace palimpsest::eval {

struct InferenceSettings {
  attack::ClusterChoice clusters = {};
  double margin = 0.05;      // in (0, 0.5)
  std::string primary = {};  // name of a metric; empty: all attacks decide
  // Empty: those that the metrics refer to as retain_model_logs.
  std::vector<std::string> retain_logs = {};
};

// Throws Error for a margin out of range, and where examples are grouped in more than one way.
void require_valid(const InferenceSettings& settings);

}  // namespace palimpsest::eval
