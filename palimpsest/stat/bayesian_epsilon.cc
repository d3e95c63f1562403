// bayesian_epsilon() of audit_epsilon.h; a file of its own because Boost's quadrature is slow to
// compile.

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <vector>

#include "palimpsest/stat/audit_epsilon.h"
#include "palimpsest/stat/root.h"

namespace palimpsest {
namespace {

class Beta {
 public:
  Beta(int64_t successes, int64_t failures)
      : a_(0.5 + static_cast<double>(successes)), b_(0.5 + static_cast<double>(failures)) {}

  double cdf(double x) const { return boost::math::ibeta(a_, b_, std::clamp(x, 0.0, 1.0)); }
  double quantile(double p) const { return boost::math::ibeta_inv(a_, b_, p); }

 private:
  double a_;
  double b_;
};

// The false negative rates y that (ε, δ)-differential privacy allows beside a false positive rate
// x: an interval between two lines below the diagonal x + y = 1 and their mirror images above it.
Interval allowed(double x, double epsilon, double delta) {
  const double factor = std::exp(epsilon);
  return {std::max((1 - delta - x) / factor, 1 - delta - factor * x),
          std::min(1 - (x - delta) / factor, delta + factor * (1 - x))};
}

// The x at which one line takes over from the other, where the integrand has a corner.
std::vector<double> corners(double epsilon, double delta) {
  const double factor = std::exp(epsilon);
  const double low = (1 - delta) / (1 + factor);
  return {low, 1 - low};
}

// P(ε): the posterior mass of the allowed region. The integral over x runs over its own probability
// u, in which the posterior is flat and the singularities of Beta(½, …) at 0 and 1 are gone.
double posterior_mass(const Beta& fnr, const Beta& fpr, double epsilon, double delta) {
  auto slice = [&](double u) {
    const Interval y = allowed(fpr.quantile(u), epsilon, delta);
    return std::max(0.0, fnr.cdf(y.high) - fnr.cdf(y.low));
  };
  std::vector<double> breaks = {0};
  for (double x : corners(epsilon, delta)) breaks.push_back(fpr.cdf(x));
  breaks.push_back(1);
  double mass = 0;
  for (size_t i = 0; i + 1 < breaks.size(); ++i) {
    if (breaks[i + 1] <= breaks[i]) continue;
    mass += boost::math::quadrature::gauss_kronrod<double, 31>::integrate(slice, breaks[i],
                                                                          breaks[i + 1], 12, 1e-9);
  }
  return mass;
}

}  // namespace

std::optional<Interval> bayesian_epsilon(const Confusion& counts, const AuditOptions& options) {
  require_valid(options);
  if (counts.positives() == 0 || counts.negatives() == 0) return std::nullopt;
  const Beta fnr(counts.false_negatives, counts.true_positives);
  const Beta fpr(counts.false_positives, counts.true_negatives);
  auto epsilon_at = [&](double probability) {
    auto excess = [&](double epsilon) {
      return probability - posterior_mass(fnr, fpr, epsilon, options.delta);
    };
    return excess(0) <= 0 ? 0 : root_of_falling(excess);
  };
  return Interval{epsilon_at(options.alpha / 2), epsilon_at(1 - options.alpha / 2)};
}

}  // namespace palimpsest
