// For people who must decide: from which score on is an example called a member? The threshold is
// chosen on a validation part, where it costs least, and its rates are measured on the rest, which
// had no say in the choice; so they are what to expect of new examples like these.
//
// A forget example that is not recognised is a false negative, a holdout example that is called a
// member a false positive. The cost is the mean over the examples, with forget and holdout examples
// in the proportion of the sample.
//
// Examples that belong together are never divided between the parts: a threshold that was chosen on
// some questions about an author would be judged by his others. The rates' intervals count clusters
// (stat/clustered_rate.h).
#pragma once

#include <cstdint>
#include <optional>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/stat/confusion.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/roc.h"

namespace palimpsest {

struct DecisionOptions {
  DecisionCosts costs = {};
  // The share of each set's clusters on which thresholds are chosen, in (0, 1).
  double validation_split = 0.5;
  uint64_t seed = 0;         // of the split, which depends on the clusters alone
  double confidence = 0.95;  // of the rates' intervals
};

struct Decision {
  double validation_auc = 0;
  double validation_cost = 0;
  // An example is called a member where its score is at most this; -∞: never.
  double score_at_most = 0;
  Confusion counts;  // of the rest
  double tpr = 0;
  double fpr = 0;
  Interval tpr_interval;  // over clusters; Clopper and Pearson's where examples are independent
  Interval fpr_interval;
  double cost = 0;  // of the rest
};

// Throws Error on options out of range.
void require_valid(const DecisionOptions& options);

// nullopt unless both parts have examples of both sets.
std::optional<Decision> decide(const ScoreColumns& scores, const ExampleClusters& clusters,
                               const DecisionOptions& options);

}  // namespace palimpsest
