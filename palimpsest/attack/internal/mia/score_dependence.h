// Permutation tests of whether neighbouring or grouped examples have similar scores, over a family
// of attacks.
//
// Each attack's scores become midranks within their set, standardised to mean 0 and variance 1. An
// undefined score, and all scores of a constant attack, count as 0. Under the null hypothesis the
// examples of a set are exchangeable, so their rows can be permuted. All attacks are permuted
// together, so the family has one level however the attacks are correlated. T are the statistics,
// and z* their values standardised over the permutations and the data:
//
//   order    T_bk = Σ_sets Σ_i (z_i + … + z_{i+b-1})²  for windows b = 2, 5, 15, where the set is
//            closed to a ring. This sums the autocorrelations of the lags below b, with
//            weights that fall to 0
//   groups   T_k = Σ_sets Σ_groups (Σ_{i in group} z_i)²
//   p = (1 + #{max z* of a permutation >= max z* of the data}) / (1 + permutations)
//
// A set with fewer than kFewestUnits rows adds nothing. If no set has more, or if nothing varies,
// there is no test. A window longer than half of a set is left out for that set.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace palimpsest::attack {

inline constexpr int64_t kFewestUnits = 8;

// The standardised midranks of one set in file order: [unit, attack]. A unit is an example with its
// alternatives, whose ranks are averaged.
struct RankedUnits {
  int64_t units = 0;
  int64_t attacks = 0;
  std::vector<double> ranks;

  double at(int64_t unit, int64_t attack) const {
    return ranks[static_cast<size_t>(unit * attacks + attack)];
  }
};

// `unit_of` has the unit of each example, ascending from 0. Each column has one score per example.
RankedUnits rank_units(std::span<const std::span<const std::optional<double>>> columns,
                       std::span<const int64_t> unit_of);

struct PermutationSettings {
  int64_t permutations = 999;
  uint64_t seed = 0;
  int threads = 0;            // 0: one per core; the result does not depend on it
  std::stop_token stop = {};  // once it requests a stop, the permutations throw Stopped
};

struct ScoreDependence {
  double p_value = 1;
  double strength = 0;  // the largest z* of the data
  int64_t attack = 0;   // the attack that has it
};

std::optional<ScoreDependence> test_order(std::span<const RankedUnits> sets,
                                          const PermutationSettings& settings);

// groups[s][u] is the group number of unit u in set s, from 0.
std::optional<ScoreDependence> test_groups(std::span<const RankedUnits> sets,
                                           std::span<const std::vector<int64_t>> groups,
                                           const PermutationSettings& settings);

// The correlation between the ranks of neighbours, over all sets.
double neighbour_correlation(std::span<const RankedUnits> sets, int64_t attack);

// The intraclass correlation of the ranks, by a one-way analysis of variance within the sets,
// pooled. Returns nullopt if no group has two units or if there are not two groups.
std::optional<double> rank_icc(std::span<const RankedUnits> sets,
                               std::span<const std::vector<int64_t>> groups, int64_t attack);

// How similar the scores are within blocks of `size` consecutive units. It is the sum over pairs
// within a block and over attacks, divided by its standard deviation for independent units and one
// attack. It serves to choose a block size.
double block_strength(std::span<const RankedUnits> sets, int64_t size);

}  // namespace palimpsest::attack
