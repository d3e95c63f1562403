// The area under the ROC curve: the probability that a positive scores higher than a negative, ties
// counted half (Mann-Whitney). Undefined (nullopt) unless both classes are there.
//
//   auc({.positives = {0.9, 0.4}, .negatives = {0.4, 0.1}})   // (2 + 1 + ½) / 4 = 0.875
#pragma once

#include <optional>
#include <vector>

#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

// Exact up to one rounding: pairs are counted in integers. Scores must be finite.
std::optional<double> auc(const LabelledScores& scores);

// Twice the number of negatives that each positive outranks, ties counted once: [positives], in the
// positives' own order. Its sum over 2·m·n is the AUC; its spread is DeLong's variance.
std::vector<int64_t> doubled_placements(const std::vector<double>& positives,
                                        const std::vector<double>& negatives);

// The interval of an AUC that is exactly 0 or 1, where estimates of the variance break down. Among
// min(m, n) disjoint, hence independent, pairs all were in order (or none), so the Clopper-Pearson
// bound of that many successes holds: [ (α/2)^(1/min(m, n)), 1 ] for an AUC of 1.
Interval separated_auc_interval(double auc, const LabelledScores& scores, double confidence);

}  // namespace palimpsest::stat
