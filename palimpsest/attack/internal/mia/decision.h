// Chooses the score threshold at which an example is called a member. The threshold is the one with
// the lowest cost on a validation part of the examples. Its error rates are measured on the
// remaining examples, which did not influence the choice. So these rates are what to expect for new
// examples of the same kind.
//
// A forget example that is not recognised is a false negative. A holdout example that is called a
// member is a false positive. The cost is the mean cost per example, so each set counts in
// proportion to its number of examples.
//
// Examples that belong together are never divided between the two parts. Otherwise a threshold
// chosen on some questions about an author would be judged on other questions about the same
// author. The intervals of the rates are computed over clusters, not over single examples
// (stat/internal/clustered_rate.h).
#pragma once

#include <cstdint>
#include <optional>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/mia/findings.h"
#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/stat/roc.h"

namespace palimpsest::attack {

struct DecisionOptions {
  stat::DecisionCosts costs = {};
  // The share of each set's clusters on which thresholds are chosen, in (0, 1).
  double validation_split = 0.5;
  uint64_t seed = 0;         // for the split, which depends only on the clusters and this seed
  double confidence = 0.95;  // of the rates' intervals
};

// Throws Error if an option is out of range.
void require_valid(const DecisionOptions& options);

// Returns nullopt unless both parts have examples of both sets.
std::optional<Decision> decide(const ScoreColumns& scores, const ExampleClusters& clusters,
                               const DecisionOptions& options);

}  // namespace palimpsest::attack
