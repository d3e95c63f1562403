// Student's t distribution, for any positive number of degrees of freedom. A standardised mean over
// a few clusters follows it if its variance is estimated from them.
//
//   two_sided_t(0.95, 9)   // 2.262: for ten clusters; a normal interval would have 1.960
#pragma once

namespace palimpsest::stat {

// The x with P(T <= x) = p. Throws Error unless 0 < p < 1 and degrees_of_freedom > 0.
double student_t_quantile(double p, double degrees_of_freedom);

// The t with P(|T| <= t) = confidence.
double two_sided_t(double confidence, double degrees_of_freedom);

// P(|T| >= |t|)
double two_sided_t_p_value(double t, double degrees_of_freedom);

}  // namespace palimpsest::stat
