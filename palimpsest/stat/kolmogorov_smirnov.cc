#include "palimpsest/stat/kolmogorov_smirnov.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "palimpsest/base/internal/checked.h"
#include "palimpsest/stat/internal/kolmogorov.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {
namespace {

constexpr int64_t kAutoExactUpTo = 10'000;
constexpr int64_t kMaxStates = int64_t{1} << 32;

struct Sizes {
  int64_t m = 0;
  int64_t n = 0;
};

// D·m·n, an integer: max |i·n - j·m| after each distinct value, i and j values being passed.
int64_t reach_of(const ScoresView& samples, const Sizes& sizes) {
  int64_t i = 0;
  int64_t j = 0;
  int64_t reach = 0;
  for (const ScoreGroup& group : group_scores(samples)) {
    i += group.positives;
    j += group.negatives;
    reach = std::max(reach, std::abs(i * sizes.n - j * sizes.m));
  }
  return reach;
}

// Floor and ceiling of a/b for b > 0.
int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

int64_t ceil_div(int64_t a, int64_t b) {
  return -floor_div(-a, b);
}

// The states (s - j, j) of one diagonal s that lie inside the band |i·n - j·m| < reach.
struct Range {
  int64_t low = 0;
  int64_t high = 0;
};

Range inside(int64_t s, int64_t reach, const Sizes& sizes) {
  const int64_t total = sizes.m + sizes.n;
  return {std::max({ceil_div(s * sizes.n - reach + 1, total), s - sizes.m, int64_t{0}}),
          std::min({floor_div(s * sizes.n + reach - 1, total), sizes.n, s})};
}

// P(max |i·n - j·m| >= reach) over random orders of m and n values. A walk from (0, 0) to (m, n)
// that draws from what is left without replacement; mass that steps out of the band is absorbed.
// Summing what is absorbed, not subtracting what stays, keeps small p-values accurate; walking by
// diagonals makes all states of a step independent of each other. Needs m >= n.
double exact_p_value(int64_t reach, const Sizes& sizes) {
  if (reach == 0) return 1;
  const int64_t m = sizes.m;
  const int64_t n = sizes.n;
  // mass[j + 1] belongs to the state with j of the n; the cells beside the range stay 0.
  std::vector<double> mass(static_cast<size_t>(n) + 3);
  std::vector<double> next(mass.size());
  mass[1] = 1;
  double absorbed = 0;
  Range range{0, 0};
  for (int64_t s = 0; s < m + n && range.low <= range.high; ++s) {
    const Range after = inside(s + 1, reach, sizes);
    const double scale = 1 / static_cast<double>(m + n - s);
    auto arriving = [&](int64_t j) {
      return (mass[static_cast<size_t>(j + 1)] * static_cast<double>(m - s + j) +
              mass[static_cast<size_t>(j)] * static_cast<double>(n - j + 1)) *
             scale;
    };
    // A step leads to range.low … range.high + 1, of which at most the two ends are outside.
    if (after.low > range.low) absorbed += arriving(range.low);
    if (after.high == range.high) absorbed += arriving(range.high + 1);
    for (int64_t j = after.low; j <= after.high; ++j) {
      next[static_cast<size_t>(j + 1)] = arriving(j);
    }
    next[static_cast<size_t>(after.low)] = 0;
    next[static_cast<size_t>(after.high + 2)] = 0;
    mass.swap(next);
    range = after;
  }
  return std::min(absorbed, 1.0);
}

bool exact_is_feasible(int64_t reach, const Sizes& sizes) {
  // Every diagonal has about 2·reach/(m + n) states in the band, and never more than n + 1.
  return checked_mul(sizes.m + 1, sizes.n + 1) <= kMaxStates ||
         (reach <= kMaxStates && 2 * reach + sizes.m + sizes.n <= kMaxStates);
}

KsMethod choose(KsMethod wanted, int64_t draws, int64_t reach, const Sizes& sizes) {
  if (wanted == KsMethod::kAsymptotic) return draws > 0 ? wanted : KsMethod::kExact;
  if (wanted == KsMethod::kAuto && sizes.m > kAutoExactUpTo) return KsMethod::kAsymptotic;
  return exact_is_feasible(reach, sizes) ? KsMethod::kExact : KsMethod::kAsymptotic;
}

}  // namespace

std::optional<KsResult> ks_two_sample(std::span<const double> a, std::span<const double> b,
                                      KsMethod method) {
  require_finite_scores(a, "the first sample");
  require_finite_scores(b, "the second sample");
  if (a.empty() || b.empty()) return std::nullopt;
  // The test is symmetric; m >= n keeps the walk's memory at the smaller sample's.
  if (a.size() < b.size()) std::swap(a, b);
  const Sizes sizes{static_cast<int64_t>(a.size()), static_cast<int64_t>(b.size())};
  const int64_t product = checked_mul(sizes.m, sizes.n);
  const int64_t reach = reach_of({a, b}, sizes);
  const int64_t divisor = std::gcd(sizes.m, sizes.n);
  KsResult result;
  // In lowest terms, as SciPy divides, so that even the last bit agrees.
  const int64_t numerator = reach / divisor;
  const int64_t denominator = product / divisor;
  result.statistic = static_cast<double>(numerator) / static_cast<double>(denominator);
  const double mean_size = static_cast<double>(product) / static_cast<double>(sizes.m + sizes.n);
  const auto draws = static_cast<int64_t>(std::nearbyint(mean_size));  // halves to even
  result.method = choose(method, draws, reach, sizes);
  result.p_value = result.method == KsMethod::kExact ? exact_p_value(reach, sizes)
                                                     : kolmogorov_survival(draws, result.statistic);
  return result;
}

}  // namespace palimpsest::stat
