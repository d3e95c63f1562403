// Kolmogorov's distribution for a finite sample: how far the empirical distribution of n draws
// strays from the continuous distribution that they come from.
//
//   D_n = sup_x |F_n(x) - F(x)|
//
// The plane of (n, d) is divided between methods as Simard and L'Ecuyer (2011) and SciPy's kstwo
// divide it, so that our numbers are SciPy's (within 1e-12 relative wherever they were compared)
// and share SciPy's approximations:
//   exact                     n <= 140 with nd² <= 4, nd <= 1, d >= ½, and tiny d up to n = 100,000
//   2 P(D_n⁺ >= d)            otherwise where nd² >= 2.2: counts samples that stray to both sides
//                             twice, 1e-6 of the result at nd² = 2.2 and e^(-6nd²) beyond; itself
//                             exact up to a million draws, then with an error of nd⁴/2
//   Pelz and Good's series    otherwise: an error of about n^-2
#pragma once

#include <cstdint>

namespace palimpsest::stat {

// P(D_n >= d). 1 for d <= 1/(2n), 0 for d >= 1. Throws Error if n < 1 or d is NaN.
double kolmogorov_survival(int64_t n, double d);

}  // namespace palimpsest::stat
