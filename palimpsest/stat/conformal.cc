#include "palimpsest/stat/internal/conformal.h"

#include <algorithm>

#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

std::vector<double> conformal_p_values(std::span<const double> items,
                                       std::span<const double> calibration) {
  require_finite_scores(items, "items");
  require_finite_scores(calibration, "calibration");
  std::vector<double> sorted(calibration.begin(), calibration.end());
  sort_ascending(sorted);
  std::vector<double> p_values;
  p_values.reserve(items.size());
  for (double item : items) {
    const auto at_most = std::upper_bound(sorted.begin(), sorted.end(), item) - sorted.begin();
    p_values.push_back(static_cast<double>(1 + at_most) / static_cast<double>(sorted.size() + 1));
  }
  return p_values;
}

}  // namespace palimpsest::stat
