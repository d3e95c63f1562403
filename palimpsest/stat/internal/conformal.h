// Conformal p-values: does an item look like the calibration items? They are exact for any
// distribution of the scores, as long as the item and the calibration items are exchangeable (could
// have been drawn in any order).
//
//   p(x) = (1 + #{c <= x}) / (n + 1),  where c are the n calibration scores
//
// So an item with an unusually LOW score gets a small p-value. Ties make the p-value larger. For an
// exchangeable item, P(p <= α) <= α. No p-value is smaller than 1/(n + 1); if there are no
// calibration scores, it is 1.
//
//   conformal_p_values({0.5, 2.5}, {1, 2, 3})   // {0.25, 0.75}
#pragma once

#include <span>
#include <vector>

namespace palimpsest::stat {

// Returns one p-value per item, in the same order. Throws Error if a score is not finite.
std::vector<double> conformal_p_values(std::span<const double> items,
                                       std::span<const double> calibration);

}  // namespace palimpsest::stat
