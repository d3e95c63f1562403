// The standard normal distribution and the logistic scale, accurate in both tails.
#pragma once

namespace palimpsest::stat {

// P(Z <= x)
double normal_cdf(double x);

// The x with P(Z <= x) = p; -inf for p = 0 and inf for p = 1. Throws Error for p outside [0, 1].
double normal_quantile(double p);

// The z with P(|Z| <= z) = confidence. Throws Error unless 0 < confidence < 1.
double two_sided_z(double confidence);

double logit(double p);
double logistic(double x);

}  // namespace palimpsest::stat
