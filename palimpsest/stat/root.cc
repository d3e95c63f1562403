#include "palimpsest/stat/internal/root.h"

#include <boost/math/tools/roots.hpp>
#include <limits>

namespace palimpsest::stat {

double root_of_decreasing(const std::function<double(double)>& f) {
  constexpr double kLargest = 1e6;
  double low = 0;
  double high = 1;
  while (f(high) > 0) {
    low = high;
    high *= 2;
    if (high > kLargest) return std::numeric_limits<double>::infinity();
  }
  if (f(high) == 0) return high;
  std::uintmax_t iterations = 200;
  const auto bracket = boost::math::tools::toms748_solve(
      f, low, high, boost::math::tools::eps_tolerance<double>(50), iterations);
  return (bracket.first + bracket.second) / 2;
}

}  // namespace palimpsest::stat
