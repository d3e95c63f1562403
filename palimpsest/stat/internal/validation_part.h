// Chooses the items of one class that form the validation part. A choice (of an attack or a
// threshold) is made on this part and judged on the other items. If it is called once per class,
// with one generator per class, the split is stratified.
#pragma once

#include <cstddef>
#include <vector>

#include "palimpsest/base/random.h"

namespace palimpsest::stat {

// Throws Error unless 0 < share < 1.
void require_validation_share(double share);

// One flag per item. ⌊share · count⌋ items are drawn without replacement, but at least one if there
// are two or more items; none if there are fewer. The share must be valid.
std::vector<bool> draw_validation_part(size_t count, double share, Random random);

}  // namespace palimpsest::stat
