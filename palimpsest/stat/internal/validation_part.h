// Which items of one class serve to choose (an attack, a threshold), so that the others can judge
// the choice. Called once per class, with a generator per class, it splits data in strata.
#pragma once

#include <cstddef>
#include <vector>

#include "palimpsest/base/random.h"

namespace palimpsest::stat {

// Throws Error unless 0 < share < 1.
void require_validation_share(double share);

// One flag per item: ⌊share · count⌋ of them are drawn without replacement, but at least one, where
// there are two items or more; none of fewer. The share must be valid.
std::vector<bool> draw_validation_part(size_t count, double share, Random random);

}  // namespace palimpsest::stat
