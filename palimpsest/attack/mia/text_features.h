// What a classifier that never sees the model may look at: hashed n-grams of a text.
//
//   words 1-2, in lower case; characters 3-5, as they stand
//
// Each of the two kinds counts as 1 + log(count), scaled to length 1; counts of different n-grams
// that fall on one column add up. Then a column for the text's length, log(1 + bytes) standardised
// over the texts, and a constant one.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/stat/logistic_regression.h"

namespace palimpsest {

// Columns that n-grams are hashed to; the last two columns of the rows come after them.
inline constexpr uint32_t kHashedColumns = 1U << 18;

// One row a text, in order. Any bytes will do; only the first `max_bytes` of a text are looked at
// for n-grams. The result does not depend on the number of threads (0: one for each core).
SparseRows text_features(const std::vector<const std::string*>& texts, size_t max_bytes,
                         int threads);

}  // namespace palimpsest
