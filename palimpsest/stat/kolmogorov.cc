#include "palimpsest/stat/internal/kolmogorov.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <numbers>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/internal/dense_matrix.h"

namespace palimpsest::stat {
namespace {

using std::numbers::pi;

// log k! - (k + ½) log k + k - ½ log 2π: what Stirling's formula leaves out.
double stirling_error(double k) {
  constexpr double kSeriesFrom = 16;
  if (k < kSeriesFrom) return stirling_error(k + 1) + (k + 0.5) * std::log1p(1 / k) - 1;
  const double inverse = 1 / k;
  const double square = inverse * inverse;
  return inverse *
         (1.0 / 12 -
          square * (1.0 / 360 - square * (1.0 / 1260 - square * (1.0 / 1680 - square / 1188))));
}

// n!/n^n e^n
double scaled_factorial(double n) {
  return std::sqrt(2 * pi * n) * std::exp(stirling_error(n));
}

// P(D_n⁺ >= d), one-sided (Smirnov; Birnbaum and Tingey 1951):
//   Σ_j (d/p_j) Binomial(j; n, p_j),  p_j = d + j/n,  j = 0 … ⌊n(1 - d)⌋
// All terms are positive. Each binomial probability comes from its deviance, which stays small
// where logarithms of factorials would cancel, so that the sum keeps its digits for every n.
// Beyond a million values the limit with its first correction, whose relative error is about nd⁴/2.
double smirnov_survival(double n, double d) {
  const double shift = n * d;  // n p_j - j
  constexpr double kSumUpTo = 1e6;
  if (n > kSumUpTo) return std::exp(-(6 * shift + 1) * (6 * shift + 1) / (18 * n));
  const double error = stirling_error(n);
  long double sum = std::exp(n * std::log1p(-d));
  for (double j = 1; j + shift < n; ++j) {
    const double rest = n - j;
    const double deviance = j * boost::math::log1pmx(shift / j) +
                            rest * boost::math::log1pmx(-shift / rest) + error - stirling_error(j) -
                            stirling_error(rest);
    sum += std::exp(deviance) * std::sqrt(n / (2 * pi * j * rest)) * shift / (shift + j);
  }
  return static_cast<double>(sum);
}

DenseMatrix square(const DenseMatrix& matrix) {
  const size_t size = matrix.rows;
  DenseMatrix product(size, size);
  for (size_t i = 0; i < size; ++i) {
    for (size_t k = 0; k < size; ++k) {
      for (size_t j = 0; j < size; ++j) product.at(i, j) += matrix.at(i, k) * matrix.at(k, j);
    }
  }
  return product;
}

std::vector<double> multiplied(const DenseMatrix& matrix, const std::vector<double>& vector) {
  std::vector<double> product(matrix.rows);
  for (size_t i = 0; i < matrix.rows; ++i) {
    for (size_t j = 0; j < matrix.columns; ++j) product[i] += matrix.at(i, j) * vector[j];
  }
  return product;
}

// Durbin's matrix (1968) for d = (k - h)/n, in the form of Marsaglia, Tsang and Wang (2003),
// divided by e: its n-th power is then about 1/√n in size, and needs no exponents of its own.
DenseMatrix durbin_matrix(size_t k, double h) {
  const size_t size = 2 * k - 1;
  std::vector<double> weights(size + 1);  // 1/(i! e)
  weights[0] = 1 / std::numbers::e;
  for (size_t i = 1; i <= size; ++i) weights[i] = weights[i - 1] / static_cast<double>(i);
  DenseMatrix matrix(size, size);
  for (size_t i = 0; i < size; ++i) {
    for (size_t j = 0; j < std::min(i + 2, size); ++j) matrix.at(i, j) = weights[i + 1 - j];
  }
  // The band's edges cut through cells: the first column and the last row lose a part of each.
  for (size_t i = 0; i < size; ++i) {
    const double lost = std::pow(h, static_cast<double>(i + 1)) * weights[i + 1];
    matrix.at(i, 0) -= lost;
    matrix.at(size - 1, size - 1 - i) -= lost;
  }
  // The corner lost it twice; where both cuts overlap, that part was lost once too often.
  matrix.at(size - 1, 0) +=
      std::pow(std::max(0.0, 2 * h - 1), static_cast<double>(size)) * weights[size];
  return matrix;
}

// P(D_n < d), exact, in O(k³ log n) with k about nd.
double durbin_cdf(int64_t n, double d) {
  const double shift = static_cast<double>(n) * d;
  const double k = std::ceil(shift);
  DenseMatrix power = durbin_matrix(static_cast<size_t>(k), k - shift);
  const auto middle = static_cast<size_t>(k) - 1;
  std::vector<double> column(2 * middle + 1);
  column[middle] = 1;
  for (int64_t rest = n; rest > 0; rest /= 2) {
    if (rest % 2 == 1) column = multiplied(power, column);
    if (rest > 1) power = square(power);
  }
  return column[middle] * scaled_factorial(static_cast<double>(n));
}

// P(D_n < d) by Pelz and Good's series (1976), K_0 + K_1/√n + K_2/n + K_3/n^1.5 in z = d√n, which
// converges fast for the small z at which it is used.
double pelz_good_cdf(double n, double d) {
  const double z = d * std::sqrt(n);
  const double z2 = z * z;
  const double z4 = z2 * z2;
  const double z6 = z4 * z2;
  double k0 = 0;
  double k1 = 0;
  double k2 = 0;
  double k3 = 0;
  // Beyond 16 no term is left even at z = 1.5, where e^(-π²k²/2z²) falls most slowly.
  for (int k = 1; k <= 16; ++k) {
    const double half = pi * pi * (k - 0.5) * (k - 0.5);  // π²(k - ½)²
    const double whole = pi * pi * k * k;                 // π²k²
    const double at_half = std::exp(-half / (2 * z2));
    const double at_whole = std::exp(-whole / (2 * z2));
    k0 += at_half;
    k1 += (half - z2) * at_half;
    k2 += ((6 * z6 + 2 * z4) + half * (2 * z4 - 5 * z2) + half * half * (1 - 2 * z2)) * at_half /
              (72 * z6 * z) -
          whole * at_whole / (36 * z2 * z);
    k3 += (half * half * half * (5 - 30 * z2) + half * half * (212 * z4 - 60 * z2) +
           half * (135 * z4 - 96 * z6) - (30 * z6 + 90 * z4 * z4)) *
              at_half / (6480 * z6 * z4) +
          (3 * whole * z2 - whole * whole) * at_whole / (216 * z6);
  }
  k0 /= z;
  k1 /= 6 * z4;
  return std::sqrt(2 * pi) * (k0 + k1 / std::sqrt(n) + k2 / n + k3 / (n * std::sqrt(n)));
}

}  // namespace

double kolmogorov_survival(int64_t n, double d) {
  if (n < 1 || std::isnan(d)) {
    throw Error(fmt::format("Kolmogorov's distribution is not defined for n = {}, d = {}", n, d));
  }
  const auto size = static_cast<double>(n);
  const double shift = size * d;
  const double squared = shift * d;
  if (shift <= 0.5) return 1;
  if (d >= 1) return 0;
  // Only one value can stray this far, the first or the last.
  if (shift >= size - 1) return 2 * std::exp(size * std::log1p(-d));
  // Each order statistic has its own slot of 2d - 1/n.
  if (shift <= 1) {
    return 1 - scaled_factorial(size) * std::exp(size * (std::log(2 * shift - 1) - 1));
  }
  constexpr int64_t kSmall = 140;
  if (squared >= 370) return 0;  // 2 e^(-2nd²) is below the smallest double
  if (d >= 0.5 || (n <= kSmall ? squared > 4 : squared >= 2.2)) {
    return std::min(1.0, 2 * smirnov_survival(size, d));
  }
  const bool matrix_is_small = n <= 100'000 && shift * std::sqrt(d) <= 1.4;
  const double cdf = n <= kSmall || matrix_is_small ? durbin_cdf(n, d) : pelz_good_cdf(size, d);
  return std::clamp(1 - cdf, 0.0, 1.0);
}

}  // namespace palimpsest::stat
