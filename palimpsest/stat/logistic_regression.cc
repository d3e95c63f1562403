#include "palimpsest/stat/logistic_regression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"
#include "palimpsest/stat/normal.h"

namespace palimpsest {
namespace {

// The t with t + a(C logistic(t) - alpha) + b = 0. The left side rises with a slope of at least 1,
// so the root is unique and lies between the two values at which logistic(t) is replaced by 1 and 0;
// Newton's steps are kept inside that bracket, which they narrow.
double solve_row(double a, double b, double c, double alpha, double t) {
  double low = -b - a * (c - alpha);
  double high = -b + a * alpha;
  t = std::clamp(t, low, high);
  for (int step = 0; step < 50; ++step) {
    const double p = logistic(t);
    const double value = t + a * (c * p - alpha) + b;
    (value < 0 ? low : high) = t;
    const double move = value / (1 + a * c * p * (1 - p));
    if (std::abs(move) < 1e-12) break;
    const double next = t - move;
    t = next > low && next < high ? next : (low + high) / 2;
  }
  return t;
}

void require_valid(const SparseRows& data, std::span<const size_t> rows,
                   const std::vector<bool>& is_positive, const LogisticOptions& options) {
  if (rows.size() != is_positive.size()) {
    throw Error(fmt::format("there are {} rows but {} labels", rows.size(), is_positive.size()));
  }
  if (!(options.c > 0 && std::isfinite(options.c))) {
    throw Error({.what = fmt::format("the weight C = {} is out of range", options.c),
                 .expected = "a number greater than 0"});
  }
  for (size_t row : rows) {
    if (row >= data.size()) throw Error(fmt::format("there is no row {}", row));
    for (const SparseEntry& entry : data.row(row)) {
      if (entry.column < data.columns && std::isfinite(entry.value)) continue;
      throw Error(fmt::format("row {} has a column beyond {} or a value that is not finite", row,
                              data.columns));
    }
  }
}

}  // namespace

double dot(std::span<const SparseEntry> row, std::span<const double> weights) {
  double sum = 0;
  for (const SparseEntry& entry : row) {
    sum += static_cast<double>(entry.value) * weights[entry.column];
  }
  return sum;
}

std::vector<double> fit_logistic(const SparseRows& data, std::span<const size_t> rows,
                                 const std::vector<bool>& is_positive,
                                 const LogisticOptions& options) {
  require_valid(data, rows, is_positive, options);
  std::vector<double> weights(data.columns, 0.0);
  // w = Σ_i y_i alpha_i x_i throughout, with 0 < alpha_i = C logistic(t_i) < C; at the solution
  // logistic(t_i) is the probability that the fitted model gives to row i's other label. All alpha
  // start at 0, the limit of t = -∞.
  std::vector<double> squares(rows.size());
  std::vector<double> alphas(rows.size(), 0.0);
  std::vector<double> ts(rows.size(), 0.0);
  for (size_t i = 0; i < rows.size(); ++i) {
    for (const SparseEntry& entry : data.row(rows[i])) {
      squares[i] += static_cast<double>(entry.value) * static_cast<double>(entry.value);
    }
  }
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (int64_t round = 0; round < options.max_rounds; ++round) {
    Random random = Random(options.seed).split(static_cast<uint64_t>(round));
    double largest = 0;
    for (size_t n = 0; n < order.size(); ++n) {
      std::swap(order[n], order[n + random.below(order.size() - n)]);
      const size_t i = order[n];
      const auto row = data.row(rows[i]);
      const double sign = is_positive[i] ? 1 : -1;
      ts[i] = solve_row(squares[i], sign * dot(row, weights), options.c, alphas[i], ts[i]);
      const double change = options.c * logistic(ts[i]) - alphas[i];
      alphas[i] += change;
      for (const SparseEntry& entry : row) {
        weights[entry.column] += sign * change * static_cast<double>(entry.value);
      }
      largest = std::max(largest, std::abs(change) / options.c);
    }
    if (largest < options.tolerance) break;
  }
  return weights;
}

}  // namespace palimpsest
