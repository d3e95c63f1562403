// Do texts that follow each other share rare words? Twenty questions about one author name the
// author and nobody else does: neighbours then share words that hardly any other text has.
//
// A word (words_of) is rare if it stands in 2 to 40 of the texts of both sets, and in no more than
// a tenth of them (2 at least). Statistic: the number of neighbours within a set that share a rare
// word. Its null: the texts of each set in random order,
//
//   p = (1 + #{permuted >= observed}) / (1 + permutations)
//
// so that a file in random order gives no alarm, whatever its texts share. Only the first
// kMostSharedTexts texts of a set are looked at. nullopt where no two texts of a set share a rare
// word.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/attack/internal/mia/score_dependence.h"

namespace palimpsest::attack {

inline constexpr int64_t kMostSharedTexts = 2000;

struct SharedWords {
  double p_value = 1;
  double share = 0;     // of neighbours that share a rare word
  double expected = 0;  // the same in random order
  // The word that neighbours share most often, and in how many texts it stands.
  std::string word;
  int64_t word_texts = 0;
  // Of the sizes that were asked about: that whose blocks share the most; 0 without any.
  int64_t block_size = 0;
};

// Texts in file order, null where there is none. `block_sizes`: what to choose block_size from.
using SetTexts = std::vector<const std::string*>;
std::optional<SharedWords> test_shared_words(std::span<const SetTexts> sets,
                                             std::span<const int64_t> block_sizes,
                                             const PermutationSettings& settings);

}  // namespace palimpsest::attack
