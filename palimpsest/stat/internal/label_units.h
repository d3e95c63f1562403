// Which labels are permuted together in family_permutation.cc: clusters that are in one class keep
// the labels of their items equal, clusters in both exchange labels among their own items.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "palimpsest/base/random.h"
#include "palimpsest/stat/family_permutation.h"

namespace palimpsest::stat {

// A unit is a cluster with items in one class only, or a single item of a cluster that has both. A
// pool is a set of units among which labels are permuted: as many stay positive as there are.
struct LabelPool {
  uint32_t first = 0;  // its units have consecutive numbers
  uint32_t count = 0;
  uint32_t positives = 0;
};

struct LabelUnits {
  std::vector<LabelPool> pools;
  std::vector<char> labels;  // [unit], 1 for positive, as they are
  // The unit of every item: [attack][positives, then negatives].
  std::vector<std::vector<uint32_t>> of_items;

  // Labels of a permutation: [unit], already as long as there are units.
  void draw(Random& random, std::vector<char>& labels) const;
};

// All clusters that are in one class make up the first pool; a cluster in both is a pool of its own.
// The attacks list its items in the same order, so that an item has the same label in all of them;
// an attack that leaves some undefined cannot say which, and has its own pool for that cluster.
LabelUnits label_units(std::span<const ClusteredScores* const> attacks);

}  // namespace palimpsest::stat
