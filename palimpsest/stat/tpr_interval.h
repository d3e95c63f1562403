// The interval of a true positive rate at a false positive rate f, where the threshold was read off
// the negatives: a mixture of Beta distributions over the number of negatives beyond the true
// threshold, which is exactly Bin(n, f). With x_j the positives strictly above the j-th highest
// negative, x_0 = 0 and x_{n+1} = m,
//
//   H(t) = ½ Σ_K Bin(K; n, f) · [F_Beta(x_K, m - x_K + 1)(t) + F_Beta(x_{K+1} + 1, m - x_{K+1})(t)]
//   ends: H(low) = α/2, H(high) = 1 - α/2;   F_Beta(0, ·) = 1, F_Beta(·, 0) = 0
//
// It covers at least as often as stated. Taking the threshold as fixed covers 63 to 78% instead of
// 95% (m = n = 400). Only K with a weight that counts are summed, O(√(n·f)) of them.
//
// Clusters: m and n are divided by the design effect of "beyond the (⌊n·f⌋ + 1)-th highest negative"
// (variance of the share by leaving out one cluster at a time, over p(1 - p)/(m - 1); at least 1,
// exactly 1 for clusters of one) and rounded down; orders are K·n/n_eff rounded down and
// (K + 1)·n/n_eff rounded up; x is scaled by m_eff/m, F_Beta interpolated between whole x.
//
// Degenerate cases: a share of 0 or 1 has no variance, so the design effect of the other class is
// taken; a class that is one cluster is worth one item.
#pragma once

#include <cstdint>
#include <optional>

#include "palimpsest/stat/clusters.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

// nullopt unless both classes are there and n >= 3/f: with fewer negatives no lower end lies above
// 0. Throws Error unless 0 < fpr < 1.
std::optional<Interval> tpr_interval(const LabelledScores& scores, const ScoreClusters& clusters,
                                     double fpr, double confidence = 0.95);

// The smallest number of negatives for a rate: ⌈3/f⌉.
int64_t negatives_for_fpr(double fpr);

// What false positive rate the TPR at f really belongs to, on average: (⌊n·f⌋ + 1)/(n + 1).
double expected_fpr(int64_t negatives, double fpr);

}  // namespace palimpsest::stat
