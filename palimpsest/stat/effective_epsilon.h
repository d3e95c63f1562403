// The effective epsilon of an attack, as defined by TAPAS (a toolbox that audits the privacy of
// synthetic data): the smallest ε for which the attack's rates would be possible against an
// ε-differentially private mechanism:
//
//   log(max(TP/FP, (1 - FP)/(1 - TP)))        TP, FP the true and false positive rates
//
// It is a point estimate without any guarantee: it is noisy, and infinite if FP = 0 < TP in the
// sample. For bounds that hold with a stated probability, see two_step_epsilon.h and
// audit_epsilon.h.
#pragma once

#include <optional>
#include <span>

#include "palimpsest/stat/confusion.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

// The effective epsilon of a decision. A ratio 0/0 is left out. The result is undefined if both
// ratios are 0/0, or if a class has no items. It may be infinite, and it is negative for an attack
// that is worse than guessing.
std::optional<double> effective_epsilon(const Confusion& counts);

// The effective epsilon of scores: the largest over the thresholds that TAPAS calls significant. To
// find these, the n scores are sorted, and the first s and the last s are dropped, where
// s = max(1, min(10, ⌊n/10⌋)). The distinct values of the rest are the thresholds. Thresholds at
// which all items are called positive (TP = FP = 1) are skipped. Undefined if no threshold is left.
std::optional<double> effective_epsilon(const ScoresView& scores);

// The same for scores that are already grouped, in ascending order. Groups may be empty.
std::optional<double> effective_epsilon(std::span<const ScoreGroup> groups);

}  // namespace palimpsest::stat
