// A shard is the share of a plan's batches that one of several processes computes. The processes
// need not know of each other: each makes the same plan and takes its share of it. The shards 1/N
// to N/N are disjoint and cover the plan, and each has about the same amount of work.
//
//   const Shard shard{.number = 2, .count = 7};   // --shard 2/7
//   shard_batches(plan.fingerprint, work, shard);
//
// The batches are shuffled first, with a seed that the plan gives. A plan lists its batches by the
// length of their items, so the cost per token changes from one end of the list to the other.
// Taking every seventh batch would also repeat any pattern that the data have. Then each batch goes
// to the shard that has the least work so far: the largest batch first, and batches of equal work
// in the shuffled order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/run/work.h"

namespace palimpsest::run {

// The number of the shard, from 1, that each batch belongs to. `work` is the work of each batch.
std::vector<int64_t> shard_owners(const std::string& fingerprint, std::span<const int64_t> work,
                                  int64_t count);

// The batches of one shard, in the order of the plan.
std::vector<size_t> shard_batches(const std::string& fingerprint, std::span<const int64_t> work,
                                  const Shard& shard);

}  // namespace palimpsest::run
