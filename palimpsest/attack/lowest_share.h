// The lowest share of some numbers: what Min-K, Min-K++ and SURP have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "palimpsest/attack/attack.h"

namespace palimpsest {

// max(1, ⌊k·n⌋): how many of n numbers the share k is.
int64_t lowest_count(size_t n, double k);

// The mean of the lowest_count(n, k) lowest of n numbers; nullopt for none.
std::optional<double> mean_of_lowest(std::vector<double> values, double k);

// Where those lowest ones stand, ascending; of equals the first ones. None for no numbers.
std::vector<size_t> positions_of_lowest(std::span<const double> values, double k);

// The parameter k of an attack, in (0, 1], with all tenths as its sweep.
AttackParameter lowest_share_parameter(double default_value);

}  // namespace palimpsest
