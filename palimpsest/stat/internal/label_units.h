// Determines which labels are permuted together in family_permutation.cc. In a cluster with items
// of one class, all items keep a common label. A cluster with items of both classes permutes labels
// among its own items.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palimpsest/base/random.h"
#include "palimpsest/stat/internal/family_permutation.h"

namespace palimpsest::stat {

// A unit is a cluster with items of one class only, or a single item of a cluster with both. A pool
// is a set of units among which labels are permuted; the number of positive units stays the same.
struct LabelPool {
  uint32_t first = 0;  // its units have consecutive numbers from here
  uint32_t count = 0;
  uint32_t positives = 0;
};

struct LabelUnits {
  std::vector<LabelPool> pools;
  std::vector<char> labels;  // [unit]: the actual labels, 1 for positive
  // The unit of every item: [attack][positives, then negatives].
  std::vector<std::vector<uint32_t>> of_items;

  // Draws the labels of several permutations, each from its own generator: [unit]. `results` must
  // already have one entry per unit. A generator waits for itself most of the time, so kTogether of
  // them take little longer than one.
  static constexpr size_t kTogether = 4;
  void draw(std::array<Random, kTogether>& randoms,
            const std::array<std::vector<char>*, kTogether>& results) const;
};

// The first pool has all clusters with items of one class. Each cluster with items of both classes
// is its own pool. The attacks list its items in the same order, so an item has the same label in
// all of them. If an attack has undefined scores for some of these items, it is not known which; so
// the attack gets its own pool for that cluster.
LabelUnits label_units(std::span<const ClusteredScores* const> attacks);

}  // namespace palimpsest::stat
