// For people who must decide: from which score on is an example called a member? The threshold is
// chosen on a validation part, where it costs least, and its rates are measured on the rest, which
// had no say in the choice; so they are what to expect of new examples like these.
//
// A forget example that is not recognised is a false negative, a holdout example that is called a
// member a false positive. The cost is the mean over the examples, with forget and holdout examples
// in the proportion of the sample.
#pragma once

#include <cstdint>
#include <optional>

#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/stat/confusion.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/roc.h"

namespace palimpsest {

struct DecisionOptions {
  DecisionCosts costs = {};
  double validation_split = 0.5;  // share of each set on which thresholds are chosen, in (0, 1)
  uint64_t seed = 0;              // of the split, which depends on the sets' sizes alone
  double confidence = 0.95;       // of the rates' intervals
};

struct Decision {
  double validation_auc = 0;
  double validation_cost = 0;
  // An example is called a member where its score is at most this; -∞: never.
  double score_at_most = 0;
  Confusion counts;  // of the rest
  double tpr = 0;
  double fpr = 0;
  Interval tpr_interval;  // Clopper-Pearson
  Interval fpr_interval;
  double cost = 0;  // of the rest
};

// Throws Error on options out of range.
void require_valid(const DecisionOptions& options);

// nullopt unless both parts have examples of both sets.
std::optional<Decision> decide(const ScoreColumns& scores, const DecisionOptions& options);

}  // namespace palimpsest
