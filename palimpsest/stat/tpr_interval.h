// The interval of a true positive rate at the false positive rate f. The threshold is estimated
// from the n negatives, and the interval allows for the error of this estimate. The true threshold
// would give the rate f on all possible negatives. The number K of the n negatives above it is not
// known, but it is distributed as Bin(n, f). So the interval comes from a mixture of Beta
// distributions over K. x_j is the number of the m positives strictly above the j-th highest of the
// n negatives; x_0 is 0, and x_{n+1} is m:
//
//   H(t) = ½ Σ_K Bin(K; n, f) · [F_Beta(x_K, m - x_K + 1)(t) + F_Beta(x_{K+1} + 1, m - x_{K+1})(t)]
//   ends: H(low) = α/2, H(high) = 1 - α/2;   F_Beta(0, ·) = 1, F_Beta(·, 0) = 0
//
// The interval covers the true rate at least as often as stated. An interval that takes the
// threshold as fixed covers it only in 63 to 78% of the cases instead of 95% (m = n = 400). The sum
// runs only over those K whose weight is not negligible; there are O(√(n·f)) of them.
//
// If there are clusters, m and n are divided by design effects and rounded down, which gives m_eff
// and n_eff. Let p be the share of the positives above the (⌊n·f⌋ + 1)-th highest negative. The
// design effect of the positives is the variance of p, computed by leaving out one cluster at a
// time, divided by p(1 - p)/(m - 1). That of the negatives is computed in the same way, from the
// share of the negatives above that same negative, with n in place of m. A design effect is at
// least 1, and exactly 1 for clusters of one. The indices K and K + 1 of x in H(t) then become
// K·n/n_eff, rounded down, and (K + 1)·n/n_eff, rounded up. x is scaled by m_eff/m, and F_Beta is
// interpolated between whole x.
//
// Degenerate cases: a share of 0 or 1 has no variance, so the design effect of the other class is
// used. A class that consists of one cluster counts as one item.
#pragma once

#include <cstdint>
#include <optional>

#include "palimpsest/stat/clusters.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

// Returns nullopt unless both classes have items and n >= 3/f. With fewer negatives, the lower end
// would always be 0. Throws Error unless 0 < fpr < 1.
std::optional<Interval> tpr_interval(const ScoresView& scores, const ScoreClusters& clusters,
                                     double fpr, double confidence = 0.95);

// The smallest number of negatives for which a rate f can be reported: ⌈3/f⌉.
int64_t negatives_for_fpr(double fpr);

// The false positive rate that the threshold has on average on new negatives: (⌊n·f⌋ + 1)/(n + 1).
double expected_fpr(int64_t negatives, double fpr);

}  // namespace palimpsest::stat
