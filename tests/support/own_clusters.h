// Clusters of one value each, for tests of what is known without clusters.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace palimpsest {

inline std::vector<int64_t> own_clusters(const std::vector<double>& values) {
  std::vector<int64_t> numbers(values.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace palimpsest
