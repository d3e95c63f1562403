#include "palimpsest/attack/lowest_share.h"

#include <algorithm>
#include <numeric>

namespace palimpsest {

int64_t lowest_count(size_t n, double k) {
  return std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(n) * k));
}

std::optional<double> mean_of_lowest(std::vector<double> values, double k) {
  if (values.empty()) return std::nullopt;
  const int64_t count = lowest_count(values.size(), k);
  // Sorted, so that the sum does not depend on how the library partitions.
  std::partial_sort(values.begin(), values.begin() + count, values.end());
  return std::accumulate(values.begin(), values.begin() + count, 0.0) / static_cast<double>(count);
}

}  // namespace palimpsest
