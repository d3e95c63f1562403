// The effective epsilon of an attack: the smallest ε for which its rates would be possible against
// an ε-differentially private mechanism (TAPAS' definition):
//
//   log(max(TP/FP, (1 - FP)/(1 - TP)))        TP, FP the true and false positive rates
//
// A point estimate without any guarantee: noisy, and infinite as soon as FP = 0 < TP in the sample.
// For statements that hold with a stated probability see two_step_epsilon.h and audit_epsilon.h.
#pragma once

#include <optional>
#include <span>

#include "palimpsest/stat/confusion.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

// Of predictions. A ratio 0/0 says nothing and is left out; where both are, and without both
// classes, the result is undefined. May be infinite, and negative for an attack worse than
// guessing.
std::optional<double> effective_epsilon(const Confusion& counts);

// Of scores: the largest over the thresholds that TAPAS calls significant: the distinct values
// among the sorted scores without the first and the last s = max(1, min(10, ⌊n/10⌋)). Thresholds at
// which all items are called positive (TP = FP = 1) are skipped; undefined if none is left.
std::optional<double> effective_epsilon(const LabelledScores& scores);

// The same of scores that are grouped already, in ascending order; groups may be empty.
std::optional<double> effective_epsilon(std::span<const ScoreGroup> groups);

}  // namespace palimpsest::stat
