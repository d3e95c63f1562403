// The jackknife estimates how much a number would vary, by leaving out one cluster of examples at a
// time. It is meant for numbers that are computed from several means and have no variance formula
// of their own, such as a harmonic mean or a ratio of AUCs. What is left out is always a whole
// cluster. θ is the number for all data, θ_(-g) the number without cluster g, and G_s the number of
// clusters in stratum s:
//
//   V_s = (G_s - 1)/G_s · Σ_{g in s} (θ_(-g) - θ)²      strata s: sets that were drawn separately
//   V   = Σ V_s,   df = V² / Σ V_s²/(G_s - 1)
//   interval: θ ± t_{1-α/2, df} · √V
//
// For a mean with clusters of one, this is exactly Student's interval. For an AUC, clustered_auc.h
// computes the same variance and takes the interval on the logit scale. The jackknife is valid for
// smooth functions of means, but not for medians or maxima.
//
// Degenerate cases: the result is undefined if a stratum has fewer than two clusters, if a value is
// not finite, or if the variance is 0 (which says nothing about new data).
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "palimpsest/stat/interval.h"

namespace palimpsest::stat {

struct JackknifeEstimate {
  double estimate = 0;            // θ, for all data
  double variance = 0;            // V, greater than 0
  double degrees_of_freedom = 0;  // at least 1

  double standard_error() const { return std::sqrt(variance); }
};

// `strata` holds one vector per stratum, with θ_(-g) for each of its clusters.
//
//   jackknife(2, {{2.5, 2, 1.5}})   // the mean of 1, 2, 3: variance 1/3, 2 degrees of freedom
std::optional<JackknifeEstimate> jackknife(double estimate,
                                           std::span<const std::vector<double>> strata);

// Throws Error unless 0 < confidence < 1.
Interval jackknife_interval(const JackknifeEstimate& estimate, double confidence = 0.95);

}  // namespace palimpsest::stat
