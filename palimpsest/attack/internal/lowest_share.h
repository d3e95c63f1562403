// Selects the lowest numbers of a list: the step that the attacks Min-K, Min-K++ and SURP share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

// How many of n numbers belong to the lowest share k: max(1, ⌊k·n⌋).
int64_t lowest_count(size_t n, double k);

// The mean of the lowest_count(n, k) lowest of n numbers; nullopt if n = 0.
std::optional<double> mean_of_lowest(std::vector<double> values, double k);

// The positions of the lowest numbers, in ascending order. Of equal numbers the first are taken.
// Empty if there are no numbers.
std::vector<size_t> positions_of_lowest(std::span<const double> values, double k);

// The parameter k of an attack: a number in (0, 1], with 0.1, 0.2 … 1 as its sweep.
AttackParameter lowest_share_parameter(double default_value);
// The same with 0.2 as its default, as Min-K and Min-K++ have it in common.
AttackParameter min_k_parameter();

}  // namespace palimpsest::attack
