// The jackknife: how much a number would vary, from what it becomes when one part of the data after
// the other is left out. For numbers that are put together from several means and have no formula of
// their own (a harmonic mean, a ratio of AUCs). A part is a cluster of examples, never a piece of one.
//
//   V_s = (G_s - 1)/G_s · Σ_{g in s} (θ_(-g) - θ)²      strata s: sets that were drawn by themselves
//   V   = Σ V_s,   df = V² / Σ V_s²/(G_s - 1)
//   interval: θ ± t_{1-α/2, df} · √V
//
// Of a mean with clusters of one it is Student's interval, exactly; of an AUC clustered_auc.h is the
// same on the logit scale. It holds for smooth functions of means, not for medians or maxima.
//
// Degenerate cases: a stratum of fewer than two clusters, a value that is not finite, and a variance
// of 0 (nothing varied, which says nothing about new data) leave it undefined.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "palimpsest/stat/interval.h"

namespace palimpsest::stat {

struct JackknifeEstimate {
  double estimate = 0;            // θ, of all data
  double variance = 0;            // V, greater than 0
  double degrees_of_freedom = 0;  // at least 1

  double standard_error() const;
};

// `strata` holds θ_(-g) of every cluster, one vector per stratum.
std::optional<JackknifeEstimate> jackknife(double estimate,
                                           std::span<const std::vector<double>> strata);

// Throws Error unless 0 < confidence < 1.
Interval jackknife_interval(const JackknifeEstimate& estimate, double confidence = 0.95);

// The same for clusters of one stratum.
//
//   jackknife_interval(2, {2.5, 2, 1.5})   // the mean of 1, 2, 3: 2 ± 4.303·0.577
std::optional<Interval> jackknife_interval(double estimate, std::span<const double> leave_one_out,
                                           double confidence = 0.95);

}  // namespace palimpsest::stat
