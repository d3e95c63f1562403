#include "palimpsest/stat/multiple_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "palimpsest/base/error.h"

namespace palimpsest::stat {
namespace {

// The numbers of the p-values, the smallest first.
std::vector<size_t> ascending(std::span<const double> p_values) {
  for (double p : p_values) {
    if (!(p >= 0 && p <= 1)) throw Error(fmt::format("{} is not a p-value", p));
  }
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return p_values[a] < p_values[b]; });
  return order;
}

}  // namespace

std::vector<double> holm(std::span<const double> p_values) {
  const std::vector<size_t> order = ascending(p_values);
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const auto remaining = static_cast<double>(order.size() - i);
    largest = std::max(largest, std::min(1.0, remaining * p_values[order[i]]));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  const std::vector<size_t> order = ascending(p_values);
  const auto count = static_cast<double>(order.size());
  std::vector<double> adjusted(p_values.size());
  double smallest = 1;
  for (size_t i = order.size(); i-- > 0;) {
    smallest = std::min(smallest, count * p_values[order[i]] / static_cast<double>(i + 1));
    adjusted[order[i]] = smallest;
  }
  return adjusted;
}

}  // namespace palimpsest::stat
