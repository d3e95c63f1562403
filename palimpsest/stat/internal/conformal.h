// Conformal p-values: is this item one of those? Exact whatever the distribution of the scores, as
// long as the item and the calibration items could have been drawn in any order (exchangeable).
//
//   p(x) = (1 + #{c <= x}) / (n + 1),  c the n calibration scores
//
// so that an item with an unusually LOW score gets a small p-value, ties counting against it. For an
// exchangeable item P(p <= α) <= α. No p-value is smaller than 1/(n + 1): with nothing to compare
// it is 1.
//
//   conformal_p_values({0.5, 2.5}, {1, 2, 3})   // {0.25, 0.75}
#pragma once

#include <span>
#include <vector>

namespace palimpsest::stat {

// One per item, in their order. Scores must be finite, else Error.
std::vector<double> conformal_p_values(std::span<const double> items,
                                       std::span<const double> calibration);

}  // namespace palimpsest::stat
