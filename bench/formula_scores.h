// Scores that bench/peers/stat_peer.py makes from the same formula, so that neither side needs a
// file:
//   u(k)     = (z(k) >> 11) / 2^53, z(k) the k-th output of SplitMix64 from seed 0
//   label(i) = i mod 2
//   score(i) = i mod 4 == 1 ? max(u(2i), u(2i+1)) : u(2i)
#pragma once

#include <algorithm>
#include <cstdint>

#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest {

// u(k), a number in [0, 1).
inline double formula_uniform(uint64_t k) {
  uint64_t z = (k + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

inline double formula_score(uint64_t i) {
  const double first = formula_uniform(2 * i);
  return i % 4 == 1 ? std::max(first, formula_uniform(2 * i + 1)) : first;
}

// Items 0 … count - 1; odd ones are positive.
inline stat::LabelledScores formula_scores(uint64_t count) {
  stat::LabelledScores scores;
  for (uint64_t i = 0; i < count; ++i)
    (i % 2 == 1 ? scores.positives : scores.negatives).push_back(formula_score(i));
  return scores;
}

}  // namespace palimpsest
