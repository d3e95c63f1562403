// How many forget records an observer can pick out beyond chance: the answer of an audit in a form
// that needs no statistics to read. On a validation part of the clusters, the observer chooses the
// attack and the threshold with the largest TPR - FPR. What this choice achieves is measured on the
// remaining clusters, which did not influence it:
//
//   excess = TPR - FPR                       "of 100 forget records, 100·excess more than chance"
//   excess = (TPR - FPR) - (TPR - FPR)_base  with a baseline model: the same attack, with a
//                                            threshold chosen on the baseline's scores
//
// With a baseline, the attack is the one with the largest difference on the validation part.
// Someone who guesses recognises as large a share of the forget set as of the holdout set, so the
// excess of guessing is 0. On average, the excess is not larger than what the same attack and
// threshold achieve on new records.
//
// The interval counts clusters. It combines the clustered intervals (l, u) of both rates
// (stat/internal/clustered_rate.h) by Newcombe's square-and-add method (1998), which stays valid if
// a rate is 0 or 1:
//
//   low = excess - √((TPR - l_TPR)² + (u_FPR - FPR)²)
//   high = excess + √((u_TPR - TPR)² + (FPR - l_FPR)²)
//
// With a baseline, A and B are the excesses of the two models, and (l_A, u_A) and (l_B, u_B) are
// their intervals. These are combined in the same way, but the correlation r of A and B is taken
// into account (Zou 2007). Both models see the same records, so r is mostly positive. It is
// estimated by leaving out one cluster at a time:
//
//   low  = excess - √(x² + y² - 2rxy),   x = A - l_A,   y = u_B - B
//   high = excess + √(x² + y² - 2rxy),   x = u_A - A,   y = B - l_B
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "palimpsest/attack/internal/mia/family.h"
#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/attack/mia/example_clusters.h"

namespace palimpsest::attack {

struct PickOptions {
  double validation_split = 0.5;  // share of each set's clusters on which choices are made; (0, 1)
  uint64_t seed = 0;              // of the split, which is that of decision.h
  double confidence = 0.95;
  bool reversed = false;
  bool against_baseline = false;  // every member of the family must then have a baseline
};

// Only members of the family take part. Returns nullopt unless both parts have examples of both
// sets under some member. Throws Error if an option is out of range.
std::optional<PickedOut> pick_out(std::span<const FamilyMember> members,
                                  const ExampleClusters& clusters, const PickOptions& options);

}  // namespace palimpsest::attack
