#include "palimpsest/stat/auc_power.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/normal.h"

namespace palimpsest {
namespace {

void require_valid(const PowerOptions& options) {
  for (double share : {options.power, options.level}) {
    if (share > 0 && share < 1) continue;
    throw Error({.what = fmt::format("a power or level of {} is out of range", share),
                 .expected = "a number between 0 and 1"});
  }
}

double deviation(double a, double m, double n) {
  const double variance =
      a * (1 - a) + (m - 1) * (a / (2 - a) - a * a) + (n - 1) * (2 * a * a / (1 + a) - a * a);
  return std::sqrt(std::max(variance, 0.0) / (m * n));
}

// By how much the power at this AUC exceeds the one asked for, on the scale of normal quantiles.
double excess(double a, double m, double n, const PowerOptions& options) {
  const double z = two_sided_z(1 - options.level);
  return a - 0.5 - z * deviation(0.5, m, n) - normal_quantile(options.power) * deviation(a, m, n);
}

}  // namespace

std::optional<double> smallest_detectable_auc(int64_t positives, int64_t negatives,
                                              const PowerOptions& options) {
  require_valid(options);
  if (positives < 0 || negatives < 0) throw Error("the number of examples is negative");
  if (positives == 0 || negatives == 0) return std::nullopt;
  const auto m = static_cast<double>(positives);
  const auto n = static_cast<double>(negatives);
  if (excess(1, m, n, options) <= 0) return std::nullopt;
  double low = 0.5;
  double high = 1;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (excess(middle, m, n, options) < 0 ? low : high) = middle;
  }
  return high;
}

int64_t examples_needed(double auc, const PowerOptions& options) {
  require_valid(options);
  const double a = std::max(auc, 1 - auc);
  if (!(a >= 0.501 && a <= 1)) {
    throw Error({.what = fmt::format("no number of examples can be given for an AUC of {}", auc),
                 .expected = "a number between 0 and 1, at least 0.001 away from 0.5"});
  }
  auto enough = [&](int64_t size) {
    const auto n = static_cast<double>(size);
    return excess(a, n, n, options) >= 0;
  };
  constexpr int64_t kMost = int64_t{1} << 50;
  int64_t high = 1;
  while (!enough(high) && high < kMost) high *= 2;
  int64_t low = high / 2;  // not enough, or 0
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace palimpsest
