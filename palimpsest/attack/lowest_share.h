// The mean of the lowest share of some numbers: what Min-K and Min-K++ have in common.
#pragma once

#include <optional>
#include <vector>

namespace palimpsest {

// The mean of the max(1, ⌊k·n⌋) lowest of n numbers; nullopt for none.
std::optional<double> mean_of_lowest(std::vector<double> values, double k);

}  // namespace palimpsest
