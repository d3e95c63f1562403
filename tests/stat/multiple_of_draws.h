// The multiple of simultaneous intervals by the formula of palimpsest/stat/internal/simultaneous.h,
// from draws that the caller made: one normal number per cluster and one chi-square number per
// draw. The library draws from the correlations of the estimates instead.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "palimpsest/stat/internal/simultaneous.h"

namespace palimpsest::stat {

// `normals` is [draw][cluster]. Every estimate must vary.
inline double multiple_of_draws(std::span<const EstimateInfluence> estimates,
                                std::span<const std::vector<double>> normals,
                                std::span<const double> chi_squares, double confidence) {
  double degrees = INFINITY;
  for (const EstimateInfluence& estimate : estimates)
    degrees = std::min(degrees, estimate.degrees_of_freedom);
  std::vector<double> largest(normals.size());
  for (const EstimateInfluence& estimate : estimates) {
    const std::span<const double> psi = estimate.influence;
    const double deviation =
        std::sqrt(std::inner_product(psi.begin(), psi.end(), psi.begin(), 0.0));
    for (size_t i = 0; i < normals.size(); ++i) {
      const double sum = std::inner_product(psi.begin(), psi.end(), normals[i].begin(), 0.0);
      const double t = std::abs(sum) / deviation / std::sqrt(chi_squares[i] / degrees);
      largest[i] = std::max(largest[i], t);
    }
  }
  std::ranges::sort(largest);
  const auto count = static_cast<double>(largest.size());
  const double rank = std::clamp(std::ceil((count + 1) * confidence), 1.0, count);
  return largest[static_cast<size_t>(rank) - 1];
}

}  // namespace palimpsest::stat
