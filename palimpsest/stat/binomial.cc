#include "palimpsest/stat/binomial.h"

#include <fmt/format.h>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/internal/normal.h"

namespace palimpsest::stat {
namespace {

void require_counts_in_range(int64_t successes, int64_t trials) {
  if (0 <= successes && successes <= trials) return;
  throw Error(fmt::format("{} successes in {} trials is impossible", successes, trials));
}

void require_probability(double alpha) {
  if (alpha > 0 && alpha < 1) return;
  throw Error({.what = fmt::format("the error rate {} is out of range", alpha),
               .expected = "a number between 0 and 1"});
}

// The error rate on each side of an equal-tailed interval.
double tail_of(double confidence) {
  require_confidence(confidence);
  return (1 - confidence) / 2;
}

double beta_upper(double successes, double failures, double alpha) {
  return failures > 0 ? boost::math::ibetac_inv(successes + 1, failures, alpha) : 1;
}

double beta_lower(double successes, double failures, double alpha) {
  return successes > 0 ? boost::math::ibeta_inv(successes, failures + 1, alpha) : 0;
}

}  // namespace

double clopper_pearson_upper(int64_t successes, int64_t trials, double alpha) {
  require_counts_in_range(successes, trials);
  require_probability(alpha);
  return beta_upper(static_cast<double>(successes), static_cast<double>(trials - successes), alpha);
}

double clopper_pearson_lower(int64_t successes, int64_t trials, double alpha) {
  require_counts_in_range(successes, trials);
  require_probability(alpha);
  return beta_lower(static_cast<double>(successes), static_cast<double>(trials - successes), alpha);
}

Interval clopper_pearson_scaled(double successes, double trials, double confidence) {
  const double alpha = tail_of(confidence);
  if (!(successes >= 0 && successes <= trials))
    throw Error(fmt::format("{} successes in {} trials is impossible", successes, trials));
  return {beta_lower(successes, trials - successes, alpha),
          beta_upper(successes, trials - successes, alpha)};
}

Interval clopper_pearson(int64_t successes, int64_t trials, double confidence) {
  const double alpha = tail_of(confidence);
  return {clopper_pearson_lower(successes, trials, alpha),
          clopper_pearson_upper(successes, trials, alpha)};
}

Interval wilson(int64_t successes, int64_t trials, double confidence) {
  require_counts_in_range(successes, trials);
  const double z = two_sided_z(confidence);
  if (trials == 0) return {0, 1};
  const auto n = static_cast<double>(trials);
  const double rate = static_cast<double>(successes) / n;
  const double scale = 2 * (n + z * z);
  const double center = (2 * n * rate + z * z) / scale;
  const double half_width = z / scale * std::sqrt(4 * n * rate * (1 - rate) + z * z);
  return {successes == 0 ? 0 : center - half_width, successes == trials ? 1 : center + half_width};
}

Interval jeffreys(int64_t successes, int64_t trials, double confidence) {
  require_counts_in_range(successes, trials);
  const double alpha = tail_of(confidence);
  const double a = static_cast<double>(successes) + 0.5;
  const double b = static_cast<double>(trials - successes) + 0.5;
  return {successes == 0 ? 0 : boost::math::ibeta_inv(a, b, alpha),
          successes == trials ? 1 : boost::math::ibetac_inv(a, b, alpha)};
}

int64_t draw_binomial(int64_t trials, double rate, Random& random) {
  if (!(rate >= 0 && rate <= 1)) {
    throw Error({.what = fmt::format("the rate {} is out of range", rate),
                 .expected = "a number from 0 to 1"});
  }
  if (trials <= 0 || rate == 0) return 0;
  if (rate == 1) return trials;
  using RoundUp = boost::math::policies::policy<
      boost::math::policies::discrete_quantile<boost::math::policies::integer_round_up>>;
  const boost::math::binomial_distribution<double, RoundUp> distribution(
      static_cast<double>(trials), rate);
  return static_cast<int64_t>(boost::math::quantile(distribution, random.uniform()));
}

}  // namespace palimpsest::stat
