#include "palimpsest/attack/internal/lowest_share.h"

#include <algorithm>
#include <numeric>

namespace palimpsest::attack {

int64_t lowest_count(size_t n, double k) {
  return std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(n) * k));
}

std::optional<double> mean_of_lowest(std::vector<double> values, double k) {
  if (values.empty()) return std::nullopt;
  const int64_t count = lowest_count(values.size(), k);
  // Sorted, so that the sum does not depend on how the library partitions.
  std::nth_element(values.begin(), values.begin() + (count - 1), values.end());
  std::sort(values.begin(), values.begin() + count);
  return std::accumulate(values.begin(), values.begin() + count, 0.0) / static_cast<double>(count);
}

std::vector<size_t> positions_of_lowest(std::span<const double> values, double k) {
  if (values.empty()) return {};
  std::vector<size_t> positions(values.size());
  std::iota(positions.begin(), positions.end(), size_t{0});
  std::stable_sort(positions.begin(), positions.end(),
                   [&](size_t a, size_t b) { return values[a] < values[b]; });
  positions.resize(static_cast<size_t>(lowest_count(values.size(), k)));
  std::sort(positions.begin(), positions.end());
  return positions;
}

AttackParameter lowest_share_parameter(double default_value) {
  AttackParameter k = {.name = "k",
                       .meaning = "share of the least likely tokens",
                       .default_value = default_value,
                       .range = {.expected = "a share of the tokens: greater than 0, at most 1",
                                 .contains = [](double share) { return share > 0 && share <= 1; }}};
  for (int tenth = 1; tenth <= 10; ++tenth) k.sweep.push_back(tenth / 10.0);
  return k;
}

AttackParameter min_k_parameter() {
  AttackParameter k = lowest_share_parameter(0.2);
  k.is_common = true;
  return k;
}

}  // namespace palimpsest::attack
