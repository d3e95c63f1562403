#include "palimpsest/stat/internal/student_t.h"

#include <fmt/format.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::stat {
namespace {

boost::math::students_t student_t(double degrees_of_freedom) {
  if (!(degrees_of_freedom > 0)) {
    throw Error({.what = fmt::format("there are {} degrees of freedom", degrees_of_freedom),
                 .expected = "a positive number"});
  }
  return boost::math::students_t(degrees_of_freedom);
}

}  // namespace

double student_t_quantile(double p, double degrees_of_freedom) {
  if (!(p > 0 && p < 1)) {
    throw Error({.what = fmt::format("{} is not a probability for a quantile", p),
                 .expected = "a number between 0 and 1"});
  }
  return boost::math::quantile(student_t(degrees_of_freedom), p);
}

double two_sided_t(double confidence, double degrees_of_freedom) {
  require_confidence(confidence);
  // The upper tail keeps its digits where the confidence is close to 1.
  return boost::math::quantile(
      boost::math::complement(student_t(degrees_of_freedom), (1 - confidence) / 2));
}

double two_sided_t_p_value(double t, double degrees_of_freedom) {
  return 2 * boost::math::cdf(student_t(degrees_of_freedom), -std::abs(t));
}

}  // namespace palimpsest::stat
