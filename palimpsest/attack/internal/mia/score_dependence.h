// Permutation tests of whether examples that lie together score alike, over a family of attacks.
//
// Each attack's scores become midranks within their set, standardised to mean 0 and variance 1 (an
// undefined score and all scores of a constant attack count as 0). Under the hypothesis that the
// examples of a set are exchangeable, its rows can be permuted; all attacks move together, so the
// family has one level however they are correlated. With T the statistics and z* their values
// standardised over the permutations and the data:
//
//   order    T_bk = Σ_sets Σ_i (z_i + … + z_{i+b-1})²,  windows b = 2, 5, 15, the set closed to a
//            ring: the autocorrelations of the lags below b with weights falling to 0
//   groups   T_k = Σ_sets Σ_groups (Σ_{i in group} z_i)²
//   p = (1 + #{max z* of a permutation >= max z* of the data}) / (1 + permutations)
//
// A set with fewer than kFewestUnits rows adds nothing; if that is all sets, or nothing varies,
// there is no test. A window longer than half of a set is left out there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "palimpsest/attack/mia/score_columns.h"

namespace palimpsest::attack {

inline constexpr int64_t kFewestUnits = 8;

// One set in file order: [unit, attack], standardised midranks. A unit is an example with its
// alternatives, whose ranks are averaged.
struct RankedUnits {
  int64_t units = 0;
  int64_t attacks = 0;
  std::vector<double> ranks;

  double at(int64_t unit, int64_t attack) const {
    return ranks[static_cast<size_t>(unit * attacks + attack)];
  }
};

// `unit_of` numbers the unit of each example, ascending from 0; the columns have one score per
// example.
RankedUnits rank_units(std::span<const std::span<const std::optional<double>>> columns,
                       std::span<const int64_t> unit_of);

struct PermutationSettings {
  int64_t permutations = 999;
  uint64_t seed = 0;
  int threads = 0;  // 0: one per core; the result does not depend on it
};

struct ScoreDependence {
  double p_value = 1;
  double strength = 0;  // the largest z* of the data
  int64_t attack = 0;   // that it belongs to
};

std::optional<ScoreDependence> test_order(std::span<const RankedUnits> sets,
                                          const PermutationSettings& settings);

// groups[s][u]: group number of unit u of set s, from 0.
std::optional<ScoreDependence> test_groups(std::span<const RankedUnits> sets,
                                           std::span<const std::vector<int64_t>> groups,
                                           const PermutationSettings& settings);

// Correlation of the ranks of neighbours, over all sets.
double neighbour_correlation(std::span<const RankedUnits> sets, int64_t attack);

// Intraclass correlation of ranks by one-way analysis of variance within the sets, pooled; nullopt
// without groups of two or without two groups.
std::optional<double> rank_icc(std::span<const RankedUnits> sets,
                               std::span<const std::vector<int64_t>> groups, int64_t attack);

// How strongly blocks of `size` consecutive units score alike: the sum over pairs within a block
// and over attacks, over its standard deviation for independent units and one attack. For choosing
// among sizes.
double block_strength(std::span<const RankedUnits> sets, int64_t size);

}  // namespace palimpsest::attack
