// Roots of monotone functions of an unbounded, non-negative argument: how the epsilon of a bound is
// found.
#pragma once

#include <functional>

namespace palimpsest::stat {

// The x >= 0 at which a falling function changes its sign, to full precision; infinity if it stays
// positive up to 1e6 (an epsilon that no data can tell from infinity). f(0) must be positive.
double root_of_decreasing(const std::function<double(double)>& f);

}  // namespace palimpsest::stat
