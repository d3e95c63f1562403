// Confidence intervals for a rate: k successes in n independent trials.
//
//   clopper_pearson(8, 10, 0.95)   // 0.4439 … 0.9748
//
// For all three: n = 0 says nothing, so the interval is [0, 1]; a negative k, k > n or a confidence
// outside (0, 1) is an Error.
#pragma once

#include <cstdint>

#include "palimpsest/base/random.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::stat {

// Exact: covers the true rate with at least the stated probability, whatever it is.
Interval clopper_pearson(int64_t successes, int64_t trials, double confidence);

// The same by its formula for numbers that need not be whole: items in clusters are worth fewer
// independent ones (clustered_rate.h).
Interval clopper_pearson_scaled(double successes, double trials, double confidence);

// The one-sided exact bounds: P(rate <= upper) >= 1 - alpha, P(rate >= lower) >= 1 - alpha.
double clopper_pearson_upper(int64_t successes, int64_t trials, double alpha);
double clopper_pearson_lower(int64_t successes, int64_t trials, double alpha);

// The score interval (Wilson 1927), without continuity correction: close to the stated probability
// on average.
Interval wilson(int64_t successes, int64_t trials, double confidence);

// Equal-tailed interval of the posterior Beta(k + ½, n - k + ½); 0 and 1 belong to it when k = 0
// and k = n (Brown, Cai and DasGupta 2001).
Interval jeffreys(int64_t successes, int64_t trials, double confidence);

// The number of successes in `trials` trials that succeed with probability `rate`, by inversion: one
// random number, whatever the number of trials. Error for a rate outside [0, 1].
int64_t draw_binomial(int64_t trials, double rate, Random& random);

}  // namespace palimpsest::stat
