// What a classifier that never sees the model may look at: hashed n-grams of a text.
//
//   words 1-2, in lower case; characters 3-5, as they stand
//
// Each of the two kinds counts as 1 + log(count), scaled to length 1; counts of different n-grams of
// one kind that fall on one column add up. Then a column for the text's length, log(1 + bytes)
// standardised over the texts, and a constant one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/stat/internal/sparse_rows.h"

namespace palimpsest::attack {

// Columns that the n-grams of one kind are hashed to: words first, then characters, then the last two.
inline constexpr uint32_t kHashedColumns = 1U << 18;
inline constexpr uint32_t kLengthColumn = 2 * kHashedColumns;
inline constexpr uint32_t kConstantColumn = kLengthColumn + 1;

// One row per text, in order. Any bytes will do; only the first `max_bytes` of a text are looked at
// for n-grams. The result does not depend on the number of threads (0: one per core).
stat::SparseRows text_features(const std::vector<const std::string*>& texts, size_t max_bytes,
                               int threads);

// The different words and pairs of words of a text, as text_features() counts and weighs them, but by
// their names; in alphabetical order. The two words of a pair have a space between them.
struct WeightedWord {
  std::string word;
  double value = 0;
};
std::vector<WeightedWord> weighted_words(const std::string& text, size_t max_bytes);

}  // namespace palimpsest::attack
