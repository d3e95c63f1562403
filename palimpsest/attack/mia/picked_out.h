// How many forget records an observer can pick out beyond chance: the answer of an audit in a form
// that needs no statistics to read. The observer takes the attack and the threshold that separate
// the two sets best on a validation part of the clusters, where TPR - FPR is largest. What this
// achieves is measured on the remaining clusters, which did not influence the choice:
//
//   excess = TPR - FPR                       "of 100 forget records, 100·excess more than chance"
//   excess = (TPR - FPR) - (TPR - FPR)_base  with a baseline model, whose observer makes the same
//                                            choices from the baseline's scores
//
// Someone who guesses recognises as large a share of the forget set as of the holdout set, so the
// excess of guessing is 0. The expected value of the excess is never above what the same attack and
// threshold achieve on new records.
//
// The interval counts clusters. It combines the clustered intervals (l, u) of both rates
// (stat/internal/clustered_rate.h) by Newcombe's square-and-add method (1998), which stays valid if a
// rate is 0 or 1:
//
//   low = excess - √((TPR - l_TPR)² + (u_FPR - FPR)²)
//   high = excess + √((u_TPR - TPR)² + (FPR - l_FPR)²)
//
// With a baseline, the intervals of both excesses are combined in the same way, less twice their
// product times the correlation r of the two excesses (Zou 2007). Both models see the same records, so
// r is mostly positive. It comes from leaving out one cluster after the other:
//
//   low = excess - √(x² + y² - 2rxy),   x = A - l_A,   y = u_B - B
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/mia/family_member.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::attack {

struct PickedOut {
  std::string attack;  // that the observer chose
  // Whether the observer picks the least familiar records, which betrays over-forgetting.
  bool reversed = false;
  // A record is picked if its score is at most this (at least this, if reversed).
  double threshold = 0;
  double tpr = 0;  // share of the remaining forget records that are picked
  double fpr = 0;  // share of the remaining holdout records that are picked
  std::optional<double> baseline_excess = {};  // TPR - FPR under the baseline model
  double excess = 0;
  std::optional<stat::Interval> interval = {};  // of the excess; absent in damaged files
  double confidence = 0.95;                     // of the interval
  int64_t forget = 0;                           // number of remaining forget records
  int64_t holdout = 0;

  friend bool operator==(const PickedOut&, const PickedOut&) = default;
};

struct PickOptions {
  double validation_split = 0.5;  // share of each set's clusters on which choices are made; (0, 1)
  uint64_t seed = 0;              // of the split, which is that of decision.h
  double confidence = 0.95;
  bool reversed = false;
  bool against_baseline = false;  // every member of the family must then have a baseline
};

// Only members of the family take part. Returns nullopt unless both parts have examples of both sets
// under some member. Throws Error if an option is out of range.
std::optional<PickedOut> pick_out(std::span<const FamilyMember> members,
                                  const ExampleClusters& clusters, const PickOptions& options);

}  // namespace palimpsest::attack
