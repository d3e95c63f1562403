// Student's t distribution, with any positive number of degrees of freedom: what a mean over few
// clusters follows once its variance had to be estimated from them.
//
//   two_sided_t(0.95, 9)   // 2.262: with ten clusters, where a normal interval would take 1.960
#pragma once

namespace palimpsest::stat {

// The x with P(T <= x) = p. Throws Error unless 0 < p < 1 and degrees_of_freedom > 0.
double student_t_quantile(double p, double degrees_of_freedom);

// The t with P(|T| <= t) = confidence.
double two_sided_t(double confidence, double degrees_of_freedom);

// P(|T| >= |t|)
double two_sided_t_p_value(double t, double degrees_of_freedom);

}  // namespace palimpsest::stat
