#include "palimpsest/stat/internal/normal.h"

#include <fmt/format.h>

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::stat {

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

double normal_quantile(double p) {
  if (!(p >= 0 && p <= 1)) throw Error(fmt::format("{} is not a probability", p));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (p == 0) return -kInfinity;
  if (p == 1) return kInfinity;
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * p);
}

double two_sided_z(double confidence) {
  require_confidence(confidence);
  return std::numbers::sqrt2 * boost::math::erfc_inv(1 - confidence);
}

double logit(double p) {
  return std::log(p) - std::log1p(-p);
}

double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

}  // namespace palimpsest::stat
