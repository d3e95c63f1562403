// The area under the ROC curve: the probability that a positive item scores higher than a negative
// one, with ties counted half (Mann-Whitney). Undefined (nullopt) unless both classes have items.
//
//   auc({.positives = {0.9, 0.4}, .negatives = {0.4, 0.1}})   // (2 + 1 + ½) / 4 = 0.875
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

// Pairs are counted in integers, so the result is exact up to one rounding. Scores must be finite.
std::optional<double> auc(const ScoresView& scores);
// The same for scores that are not in one array with their labels.
std::optional<double> auc(std::span<const double> positives, std::span<const double> negatives);

// For each positive, in the given order: twice the number of negatives below it, plus the number of
// negatives equal to it. The sum, divided by 2·m·n for m positives and n negatives, is the AUC. The
// variance among these numbers enters DeLong's variance.
std::vector<int64_t> doubled_placements(std::span<const double> positives,
                                        std::span<const double> negatives);

// The interval of an AUC of exactly 0 or 1, for which variance estimates break down. Consider
// min(m, n) disjoint pairs of a positive and a negative. The pairs are independent. In all of them
// (or in none of them) the positive has the higher score. So the Clopper-Pearson bound for that
// many successes holds. For an AUC of 1, the interval is [ (α/2)^(1/min(m, n)), 1 ], where
// α = 1 - confidence.
Interval separated_auc_interval(double auc, const ScoresView& scores, double confidence);

}  // namespace palimpsest::stat
