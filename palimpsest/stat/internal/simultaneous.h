// Several estimates that answer one question: a multiple of the standard errors at which all of
// their intervals hold together with the stated confidence (max-|t| by Gaussian multipliers).
//
//   m = max_k |Σ_g ξ_g ψ_gk| / se_k / √(χ/ν),   ξ_g ~ N(0, 1), χ ~ chi²(ν), ν = min_k df_k
//   multiple: the (1 - α) quantile of m over seeded draws
//
// Correlated estimates cost less than Bonferroni's correction. No matrix is inverted, so ten
// estimates from five clusters work. One estimate alone gets Student's t quantile, exactly, and
// several never less.
//
// The K sums Σ_g ξ_g ψ_gk / se_k are jointly normal with the correlations of the ψ_k. They are drawn
// as such, by a Cholesky factor that leaves out directions without variance: one normal number per
// estimate and draw instead of one per cluster and draw, the same distribution. 20,000 draws for ten
// attacks take milliseconds, whatever the number of clusters.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace palimpsest::stat {

// ψ of one estimate, as ClusteredAuc and AucDifference have it; all spans are equally long.
struct EstimateInfluence {
  std::span<const double> influence;
  double degrees_of_freedom = 0;
};

struct MultiplierOptions {
  double confidence = 0.95;  // in (0, 1)
  int64_t draws = 20000;     // at least 1000
  uint64_t seed = 0;
  int threads = 0;  // 0: one per core; the result does not depend on it
};

// Estimates whose influence is all 0 are passed over. Infinite where none is left. Throws Error if
// the lengths differ, an option is out of range, or an estimate that varies has no degrees of freedom.
double simultaneous_multiple(std::span<const EstimateInfluence> estimates,
                             const MultiplierOptions& options = {});

// The quantile alone, by the formula, from draws that the caller made: ξ is [draw][cluster], χ
// [draw]. For tests. The quantile is the ⌈(draws + 1)(1 - α)⌉-th smallest.
double simultaneous_multiple_of(std::span<const EstimateInfluence> estimates,
                                std::span<const std::vector<double>> normals,
                                std::span<const double> chi_squares, double confidence);

}  // namespace palimpsest::stat
