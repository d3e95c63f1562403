// The lowest share of some numbers: what Min-K, Min-K++ and SURP have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

// How many numbers the share k of n numbers is: max(1, ⌊k·n⌋).
int64_t lowest_count(size_t n, double k);

// The mean of the lowest_count(n, k) lowest of n numbers; nullopt for none.
std::optional<double> mean_of_lowest(std::vector<double> values, double k);

// The positions of these lowest numbers, ascending. Among equal numbers the first are taken. Empty
// if there are no numbers.
std::vector<size_t> positions_of_lowest(std::span<const double> values, double k);

// The parameter k of an attack, in (0, 1], with all tenths as its sweep.
AttackParameter lowest_share_parameter(double default_value);

}  // namespace palimpsest::attack
