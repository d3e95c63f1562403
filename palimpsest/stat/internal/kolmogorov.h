// Kolmogorov's distribution for a finite sample: how far the empirical distribution of n values
// deviates from the continuous distribution from which they were drawn.
//
//   D_n = sup_x |F_n(x) - F(x)|
//
// The method depends on (n, d), as in Simard and L'Ecuyer (2011) and in SciPy's kstwo. So the
// numbers equal SciPy's (within 1e-12 relative wherever they were compared), including SciPy's
// approximations:
//   exact                     n <= 140 with nd² <= 4, nd <= 1, d >= ½, and tiny d up to n = 100,000
//   2 P(D_n⁺ >= d)            otherwise if nd² >= 2.2. It counts samples that deviate to both sides
//                             twice: 1e-6 of the result at nd² = 2.2, and e^(-6nd²) beyond. It is
//                             itself exact up to a million values, then with an error of nd⁴/2
//   Pelz and Good's series    otherwise, with an error of about n^-2
#pragma once

#include <cstdint>

namespace palimpsest::stat {

// P(D_n >= d). It is 1 for d <= 1/(2n) and 0 for d >= 1. Throws Error if n < 1 or d is NaN.
double kolmogorov_survival(int64_t n, double d);

}  // namespace palimpsest::stat
