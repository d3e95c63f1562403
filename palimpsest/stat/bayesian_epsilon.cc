// bayesian_epsilon() of audit_epsilon.h; a file of its own because Boost's quadrature is slow to
// compile.

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <vector>

#include "palimpsest/stat/audit_epsilon.h"
#include "palimpsest/stat/internal/root.h"

namespace palimpsest::stat {
namespace {

// Boost widens to long double unless told otherwise, which costs ten times the time for nothing
// here.
using Fast = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

// The posterior of a rate after so many successes and failures: Jeffreys' Beta(½ + k, ½ + n - k).
class Posterior {
 public:
  Posterior(int64_t successes, int64_t failures)
      : a_(0.5 + static_cast<double>(successes)),
        b_(0.5 + static_cast<double>(failures)),
        log_scale_(std::log(2) + std::lgamma(a_ + b_) - std::lgamma(a_) - std::lgamma(b_)) {}

  double cdf(double x) const { return boost::math::ibeta(a_, b_, std::clamp(x, 0.0, 1.0), Fast()); }

  // The density of the angle θ with sin²θ = rate: smooth, where that of the rate itself is singular
  // at 0 and 1.
  double angle_density(double theta) const {
    return std::exp(log_scale_ + (2 * a_ - 1) * std::log(std::sin(theta)) +
                    (2 * b_ - 1) * std::log(std::cos(theta)));
  }

  // All but a negligible mass lies between these angles.
  Interval angle_range() const {
    constexpr double kNegligible = 1e-14;
    return {angle(boost::math::ibeta_inv(a_, b_, kNegligible, Fast())),
            angle(boost::math::ibetac_inv(a_, b_, kNegligible, Fast()))};
  }

  static double angle(double rate) { return std::asin(std::sqrt(std::clamp(rate, 0.0, 1.0))); }

 private:
  double a_;
  double b_;
  double log_scale_;
};

// The false negative rates y that (ε, δ)-differential privacy allows beside a false positive rate
// x: an interval between two lines below the diagonal x + y = 1 and their mirror images above it.
Interval allowed(double x, double epsilon, double delta) {
  const double factor = std::exp(epsilon);
  return {std::max((1 - delta - x) / factor, 1 - delta - factor * x),
          std::min(1 - (x - delta) / factor, delta + factor * (1 - x))};
}

// The x at which the integrand has a corner, ascending: where one line takes over from the other,
// and where the lines leave the unit square, near which a posterior of shape ½ is steep.
std::vector<double> corners(double epsilon, double delta) {
  const double factor = std::exp(epsilon);
  const double low = (1 - delta) / (1 + factor);
  std::vector<double> all = {low, 1 - low, delta, 1 - delta};
  std::sort(all.begin(), all.end());
  return all;
}

// P(ε): the posterior mass of the allowed region, piecewise between the corners of the integrand.
double posterior_mass(const Posterior& fnr, const Posterior& fpr, double epsilon, double delta) {
  auto slice = [&](double theta) {
    const double x = std::sin(theta) * std::sin(theta);
    const Interval y = allowed(x, epsilon, delta);
    return fpr.angle_density(theta) * std::max(0.0, fnr.cdf(y.high) - fnr.cdf(y.low));
  };
  const Interval range = fpr.angle_range();
  std::vector<double> breaks = {range.low};
  for (double x : corners(epsilon, delta)) {
    const double theta = Posterior::angle(x);
    if (theta > breaks.back() && theta < range.high) breaks.push_back(theta);
  }
  breaks.push_back(range.high);
  double mass = 0;
  for (size_t i = 0; i + 1 < breaks.size(); ++i) {
    constexpr unsigned kDepth = 8;
    constexpr double kTolerance = 1e-9;
    mass += boost::math::quadrature::gauss_kronrod<double, 61>::integrate(
        slice, breaks[i], breaks[i + 1], kDepth, kTolerance);
  }
  return mass;
}

}  // namespace

std::optional<Interval> bayesian_epsilon(const Confusion& counts, const AuditOptions& options) {
  require_valid(options);
  if (counts.positives() == 0 || counts.negatives() == 0) return std::nullopt;
  const Posterior fnr(counts.false_negatives, counts.true_positives);
  const Posterior fpr(counts.false_positives, counts.true_negatives);
  auto epsilon_at = [&](double probability) {
    auto excess = [&](double epsilon) {
      return probability - posterior_mass(fnr, fpr, epsilon, options.delta);
    };
    return excess(0) <= 0 ? 0 : root_of_decreasing(excess);
  };
  return Interval{epsilon_at(options.alpha / 2), epsilon_at(1 - options.alpha / 2)};
}

}  // namespace palimpsest::stat
