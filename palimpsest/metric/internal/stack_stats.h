// Stacks many statistics of one type into one statistic with a leading axis, with one element per
// domain, client or bucket. reduce(0) merges them again.
#pragma once

#include <cstdint>
#include <map>

#include "palimpsest/stat/any_stat.h"

namespace palimpsest::metric {

// The largest number of numbers in a field of a stacked statistic: half a gibibyte.
constexpr int64_t kMaxStackedNumbers = int64_t{1} << 26;

// `zero` gives the type, and the shape if there are no elements. Elements that are not in the map
// are identities. Throws Error if the elements have different types or shapes, if the result would
// be too large, or if statistics of that type cannot be stacked. They can be stacked only if all
// fields have the statistic's own shape and are zero in the identity (mean, sum, moments).
stat::AnyStat stack_stats(int64_t extent, const stat::AnyStat& zero,
                          const std::map<int64_t, stat::AnyStat>& elements);

}  // namespace palimpsest::metric
