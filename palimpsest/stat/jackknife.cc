#include "palimpsest/stat/jackknife.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace palimpsest::stat {

std::optional<JackknifeEstimate> jackknife(double estimate,
                                           std::span<const std::vector<double>> strata) {
  if (!std::isfinite(estimate)) return std::nullopt;
  double variance = 0;
  double weighted = 0;  // Σ V_s²/(G_s - 1)
  for (const std::vector<double>& leave_one_out : strata) {
    const auto clusters = static_cast<double>(leave_one_out.size());
    if (clusters < 2) return std::nullopt;
    double sum = 0;
    for (double value : leave_one_out) sum += (value - estimate) * (value - estimate);
    const double part = (clusters - 1) / clusters * sum;
    variance += part;
    weighted += part * part / (clusters - 1);
  }
  // Not greater than 0: nothing varied, or a value was not a number. What remains of a sum after
  // rounding is no variation either.
  const double rounding = 1e-12 * std::abs(estimate);
  if (!std::isfinite(variance) || !(variance > rounding * rounding)) return std::nullopt;
  return JackknifeEstimate{estimate, variance, variance * variance / weighted};
}

Interval jackknife_interval(const JackknifeEstimate& estimate, double confidence) {
  require_confidence(confidence);
  const boost::math::students_t distribution(estimate.degrees_of_freedom);
  const double reach =
      boost::math::quantile(distribution, (1 + confidence) / 2) * estimate.standard_error();
  return {estimate.estimate - reach, estimate.estimate + reach};
}

}  // namespace palimpsest::stat
