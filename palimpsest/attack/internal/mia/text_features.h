// The features for a classifier that never sees the model: hashed n-grams of a text.
//
//   words 1-2, in lower case; characters 3-5, unchanged
//
// Each n-gram has the value 1 + log(count), and each of the two kinds is scaled to length 1. Values
// of different n-grams that are hashed to the same column are added. Two further columns hold the
// length of the text, log(1 + bytes) standardised over the texts, and a constant.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/stat/internal/sparse_rows.h"

namespace palimpsest::attack {

// The number of columns for the n-grams of one kind. The columns of words come first, then those of
// characters, then the last two.
inline constexpr uint32_t kHashedColumns = 1U << 18;
inline constexpr uint32_t kLengthColumn = 2 * kHashedColumns;
inline constexpr uint32_t kConstantColumn = kLengthColumn + 1;

// Returns one row per text, in order. The texts may be any bytes; n-grams are taken only from the
// first `max_bytes` of a text. The result does not depend on the number of threads (0: one per
// core).
stat::SparseRows text_features(const std::vector<const std::string*>& texts, size_t max_bytes,
                               int threads);

// The distinct words and pairs of words of a text, with the values that text_features() gives them,
// in alphabetical order. The two words of a pair are separated by a space.
struct WeightedWord {
  std::string word;
  double value = 0;
};
std::vector<WeightedWord> weighted_words(const std::string& text, size_t max_bytes);

}  // namespace palimpsest::attack
