#include "palimpsest/stat/internal/hypergeometric.h"

#include <algorithm>
#include <cmath>

#include "palimpsest/base/error.h"

namespace palimpsest::stat {

HypergeometricCdf::HypergeometricCdf(int64_t largest_population) {
  PALIMPSEST_CHECK(largest_population >= 0);
  log_factorials_.resize(static_cast<size_t>(largest_population) + 1, 0);
  // Differences of large logarithms are taken, so their sum is kept more precisely than they are.
  long double sum = 0;
  for (size_t i = 2; i < log_factorials_.size(); ++i) {
    sum += std::log(static_cast<long double>(i));
    log_factorials_[i] = static_cast<double>(sum);
  }
}

double HypergeometricCdf::log_pmf(int64_t count, const HypergeometricDraw& draw) const {
  auto log_binomial = [&](int64_t of, int64_t chosen) {
    return log_factorials_[static_cast<size_t>(of)] - log_factorials_[static_cast<size_t>(chosen)] -
           log_factorials_[static_cast<size_t>(of - chosen)];
  };
  return log_binomial(draw.marked, count) +
         log_binomial(draw.population - draw.marked, draw.drawn - count) -
         log_binomial(draw.population, draw.drawn);
}

double HypergeometricCdf::operator()(int64_t count, const HypergeometricDraw& draw) const {
  const int64_t unmarked = draw.population - draw.marked;
  const int64_t least = std::max<int64_t>(0, draw.drawn - unmarked);
  const int64_t most = std::min(draw.marked, draw.drawn);
  if (count < least) return 0;
  if (count >= most) return 1;
  const auto mean = static_cast<double>(draw.drawn) * static_cast<double>(draw.marked) /
                    static_cast<double>(draw.population);
  // The tail away from the mode: its terms fall from the first on.
  const bool lower = static_cast<double>(count) < mean;
  const int64_t first = lower ? count : count + 1;
  constexpr double kNegligible = 1e-17;
  double term = 1;
  double sum = 1;
  auto ratio = [](int64_t a, int64_t b, int64_t c, int64_t d) {
    return static_cast<double>(a) / static_cast<double>(b) * static_cast<double>(c) /
           static_cast<double>(d);
  };
  for (int64_t i = first; lower ? i > least : i < most; lower ? --i : ++i) {
    term *= lower ? ratio(i, draw.marked - i + 1, unmarked - draw.drawn + i, draw.drawn - i + 1)
                  : ratio(draw.marked - i, i + 1, draw.drawn - i, unmarked - draw.drawn + i + 1);
    sum += term;
    if (term < kNegligible * sum) break;
  }
  const double tail = std::min(1.0, sum * std::exp(log_pmf(first, draw)));
  return lower ? tail : 1 - tail;
}

}  // namespace palimpsest::stat
