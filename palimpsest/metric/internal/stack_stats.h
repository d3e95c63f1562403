// Many statistics of one type as one statistic with a leading axis: one element per domain,
// client or bucket. reduce(0) merges them again.
#pragma once

#include <cstdint>
#include <map>

#include "palimpsest/stat/any_stat.h"

namespace palimpsest::metric {

// The most numbers that a field of a stacked statistic may hold: half a gibibyte of them.
constexpr int64_t kMaxStackedNumbers = int64_t{1} << 26;

// `zero` gives the type, and the shape if there are no elements; elements that are not in the map
// are identities. Throws Error if the elements are of different types or shapes, if the whole would
// be too large, or if statistics of that type do not stack: only those whose fields all have the
// statistic's own shape and are zero in the identity do (mean, sum, moments).
stat::AnyStat stack_stats(int64_t extent, const stat::AnyStat& zero,
                          const std::map<int64_t, stat::AnyStat>& elements);

}  // namespace palimpsest::metric
