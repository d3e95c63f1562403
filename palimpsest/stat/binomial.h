// Confidence intervals for a rate, from k successes in n independent trials.
//
//   clopper_pearson(8, 10, 0.95)   // 0.4439 … 0.9748
//
// If n = 0, every interval is [0, 1]. All functions throw Error if k < 0, if k > n, or if the
// confidence is not in (0, 1).
#pragma once

#include <cstdint>

#include "palimpsest/base/random.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::stat {

// The exact interval: it covers the true rate with at least the stated probability, whatever the
// rate is.
Interval clopper_pearson(int64_t successes, int64_t trials, double confidence);

// The same formula for numbers that are not whole. Items in clusters are worth a smaller number of
// independent items, and this effective number need not be whole (internal/clustered_rate.h).
Interval clopper_pearson_scaled(double successes, double trials, double confidence);

// One-sided exact bounds: P(rate <= upper) >= 1 - alpha and P(rate >= lower) >= 1 - alpha.
double clopper_pearson_upper(int64_t successes, int64_t trials, double alpha);
double clopper_pearson_lower(int64_t successes, int64_t trials, double alpha);

// The score interval without continuity correction (Wilson 1927). Averaged over rates, its coverage
// is close to the stated probability.
Interval wilson(int64_t successes, int64_t trials, double confidence);

// The equal-tailed interval of the posterior Beta(k + ½, n - k + ½). It is extended to include 0 if
// k = 0, and 1 if k = n (Brown, Cai and DasGupta 2001).
Interval jeffreys(int64_t successes, int64_t trials, double confidence);

// Draws the number of successes in `trials` trials, each of which succeeds with probability `rate`.
// It inverts the distribution function, so it takes one random number, whatever the number of
// trials. Throws Error for a rate outside [0, 1].
int64_t draw_binomial(int64_t trials, double rate, Random& random);

}  // namespace palimpsest::stat
