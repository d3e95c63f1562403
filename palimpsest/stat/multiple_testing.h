// Corrections for asking many questions at once. Both take p-values and return adjusted ones in the
// same order, to be compared with the level wanted: an adjusted value at most α is a rejection.
// None given: none returned. A number outside [0, 1] is an Error.
//
//   holm({0.01, 0.04, 0.03})                // {0.03, 0.06, 0.06}
//   benjamini_hochberg({0.01, 0.04, 0.03})  // {0.03, 0.04, 0.04}
#pragma once

#include <span>
#include <vector>

namespace palimpsest::stat {

// Holm (1979): the chance of any false rejection at all is at most α, however the tests depend on
// each other. With p(1) <= … <= p(n): max over i <= k of min(1, (n - i + 1) p(i)).
std::vector<double> holm(std::span<const double> p_values);

// Benjamini and Hochberg (1995): the expected share of false ones among the rejections is at most
// α, if the tests are independent or positively dependent, as conformal p-values that share one
// calibration set are (Bates et al. 2023). min over i >= k of min(1, n p(i) / i), the "q-value".
std::vector<double> benjamini_hochberg(std::span<const double> p_values);

}  // namespace palimpsest::stat
