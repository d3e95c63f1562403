#include "palimpsest/stat/internal/simultaneous.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/parallel.h"
#include "palimpsest/base/random.h"
#include "palimpsest/stat/internal/student_t.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::stat {
namespace {

constexpr int64_t kMinDraws = 1000;
// Draws that share a generator. Fixed, so that the numbers do not depend on the threads.
constexpr size_t kDrawBlock = 256;
// A share of an estimate's variance that is left to rounding: below it an estimate is taken as a
// combination of those before it.
constexpr double kNoVarianceLeft = 1e-10;

// Those that vary. The caller's spans stay where they are.
std::vector<EstimateInfluence> varying_estimates(std::span<const EstimateInfluence> estimates) {
  std::vector<EstimateInfluence> varying;
  for (const EstimateInfluence& estimate : estimates) {
    if (estimate.influence.size() != estimates[0].influence.size()) {
      throw Error({.what = "estimates of one family must have the same clusters",
                   .expected = fmt::format("{} clusters", estimates[0].influence.size()),
                   .found = std::to_string(estimate.influence.size())});
    }
    if (std::all_of(estimate.influence.begin(), estimate.influence.end(),
                    [](double value) { return value == 0; })) {
      continue;
    }
    if (!(estimate.degrees_of_freedom > 0)) {
      throw Error({.what = "an estimate that varies has no degrees of freedom",
                   .expected = "a positive number",
                   .found = fmt::to_string(estimate.degrees_of_freedom)});
    }
    varying.push_back(estimate);
  }
  return varying;
}

double fewest_degrees(std::span<const EstimateInfluence> estimates) {
  double fewest = std::numeric_limits<double>::infinity();
  for (const EstimateInfluence& estimate : estimates) {
    fewest = std::min(fewest, estimate.degrees_of_freedom);
  }
  return fewest;
}

double inner_product(std::span<const double> a, std::span<const double> b) {
  // Four sums, which the compiler may keep in one register.
  std::array<double, 4> sums{};
  const size_t whole = a.size() / 4 * 4;
  for (size_t g = 0; g < whole; g += 4) {
    for (size_t lane = 0; lane < 4; ++lane) sums[lane] += a[g + lane] * b[g + lane];
  }
  double rest = 0;
  for (size_t g = whole; g < a.size(); ++g) rest += a[g] * b[g];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest;
}

// The factor L of the correlations L·Lᵀ: [estimate][direction], rows of length 1. An estimate that
// those before it determine adds no direction, so singular matrices are fine.
std::vector<std::vector<double>> correlation_factor(std::span<const EstimateInfluence> estimates) {
  const size_t count = estimates.size();
  std::vector<double> deviations(count);
  for (size_t k = 0; k < count; ++k) {
    deviations[k] = std::sqrt(inner_product(estimates[k].influence, estimates[k].influence));
  }
  std::vector<std::vector<double>> factor(count);
  std::vector<size_t> pivots;  // the estimate that opened each direction
  for (size_t k = 0; k < count; ++k) {
    std::vector<double>& row = factor[k];
    double left = 1;
    for (size_t d = 0; d < pivots.size(); ++d) {
      const std::vector<double>& pivot = factor[pivots[d]];
      double entry = inner_product(estimates[k].influence, estimates[pivots[d]].influence) /
                     (deviations[k] * deviations[pivots[d]]);
      for (size_t e = 0; e < d; ++e) entry -= row[e] * pivot[e];
      row.push_back(entry / pivot[d]);
      left -= row[d] * row[d];
    }
    if (left > kNoVarianceLeft) {
      row.push_back(std::sqrt(left));
      pivots.push_back(k);
    }
    double norm = 0;
    for (double entry : row) norm += entry * entry;
    for (double& entry : row) entry /= std::sqrt(norm);
  }
  return factor;
}

// Marsaglia and Tsang (2000): the cube of a normal number, accepted nearly always.
double draw_chi_square(Random& random, double degrees_of_freedom) {
  double shape = degrees_of_freedom / 2;
  double scale = 2;
  if (shape < 1) {
    scale *= std::pow(1 - random.uniform(), 1 / shape);
    shape += 1;
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = random.normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log1p(-random.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return scale * d * v;
    }
  }
}

// The largest |t| of each draw of one block.
void draw_block(const std::vector<std::vector<double>>& factor, double degrees, Random random,
                std::span<double> largest) {
  size_t directions = 0;
  for (const auto& row : factor) directions = std::max(directions, row.size());
  std::vector<std::array<double, kDrawBlock>> normals(directions);
  for (auto& direction : normals) {
    for (size_t i = 0; i < largest.size(); ++i) direction[i] = random.normal();
  }
  std::fill(largest.begin(), largest.end(), 0.0);
  for (const auto& row : factor) {
    std::array<double, kDrawBlock> sums{};
    for (size_t d = 0; d < row.size(); ++d) {
      for (size_t i = 0; i < kDrawBlock; ++i) sums[i] += row[d] * normals[d][i];
    }
    for (size_t i = 0; i < largest.size(); ++i)
      largest[i] = std::max(largest[i], std::abs(sums[i]));
  }
  for (double& value : largest) value /= std::sqrt(draw_chi_square(random, degrees) / degrees);
}

// The ⌈(B + 1)·q⌉-th smallest of B values: as many of B + 1 exchangeable ones lie below.
double upper_order_statistic(std::vector<double>& values, double q) {
  const auto count = static_cast<double>(values.size());
  const double rank = std::clamp(std::ceil((count + 1) * q), 1.0, count);
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

}  // namespace

double simultaneous_multiple(std::span<const EstimateInfluence> estimates,
                             const MultiplierOptions& options) {
  require_confidence(options.confidence);
  if (options.draws < kMinDraws) {
    throw Error({.what = fmt::format("{} draws are too few", options.draws),
                 .expected = fmt::format("at least {}", kMinDraws)});
  }
  const std::vector<EstimateInfluence> varying = varying_estimates(estimates);
  if (varying.empty()) return std::numeric_limits<double>::infinity();
  const double degrees = fewest_degrees(varying);
  // The largest of several is never below the first of them, so this is a floor for all families.
  const double alone = two_sided_t(options.confidence, degrees);
  if (varying.size() == 1) return alone;
  const std::vector<std::vector<double>> factor = correlation_factor(varying);
  std::vector<double> largest(static_cast<size_t>(options.draws));
  const Random root(options.seed);
  const size_t blocks = (largest.size() + kDrawBlock - 1) / kDrawBlock;
  parallel_for(static_cast<int64_t>(blocks), options.threads, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      const size_t first = static_cast<size_t>(block) * kDrawBlock;
      const size_t size = std::min(kDrawBlock, largest.size() - first);
      draw_block(factor, degrees, root.split(static_cast<uint64_t>(block)),
                 std::span(largest).subspan(first, size));
    }
  });
  return std::max(upper_order_statistic(largest, options.confidence), alone);
}

}  // namespace palimpsest::stat
