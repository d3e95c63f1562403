// Finds roots of monotone functions of a non-negative argument. The epsilon of a bound is found in
// this way.
#pragma once

#include <functional>

namespace palimpsest::stat {

// The x >= 0 at which a decreasing function changes its sign, to full precision. Infinity if it
// stays positive up to 1e6, because no data can distinguish such an epsilon from infinity. f(0)
// must be positive.
double root_of_decreasing(const std::function<double(double)>& f);

}  // namespace palimpsest::stat
