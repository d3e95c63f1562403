// Corrections for testing many hypotheses at once. Both functions return adjusted p-values in the
// order of the input. To test at level α, reject the hypotheses whose adjusted p-value is at most
// α. They throw Error for a number outside [0, 1].
//
//   holm({0.01, 0.04, 0.03})                // {0.03, 0.06, 0.06}
//   benjamini_hochberg({0.01, 0.04, 0.03})  // {0.03, 0.04, 0.04}
#pragma once

#include <span>
#include <vector>

namespace palimpsest::stat {

// Holm (1979). The probability of any false rejection is at most α, whatever the dependence between
// the tests. For sorted p(1) <= … <= p(n), the k-th adjusted value is the maximum over i <= k of
// min(1, (n - i + 1) p(i)).
std::vector<double> holm(std::span<const double> p_values);

// Benjamini and Hochberg (1995). The expected share of false rejections among all rejections is at
// most α, if the tests are independent or positively dependent. Conformal p-values that share a
// calibration set are positively dependent (Bates et al. 2023). The k-th adjusted value (the
// "q-value") is the minimum over i >= k of min(1, n p(i) / i).
std::vector<double> benjamini_hochberg(std::span<const double> p_values);

}  // namespace palimpsest::stat
