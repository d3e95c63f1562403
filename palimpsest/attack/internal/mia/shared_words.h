// Tests whether texts that follow each other share rare words. For example, twenty questions about
// one author all contain the author's name, which hardly any other text does.
//
// A word (words_of()) is rare if it occurs in 2 to 40 of the texts of both sets, and in at most a
// tenth of them (but at least 2). The statistic is the number of neighbours within a set that share
// a rare word. Under the null hypothesis, the texts of each set are in random order:
//
//   p = (1 + #{permuted >= observed}) / (1 + permutations)
//
// So a file in random order raises no alarm, whatever its texts share. Only the first
// kMaxSharedTexts texts of a set are examined. The result is nullopt if no two texts of a set
// share a rare word.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/attack/internal/mia/score_dependence.h"

namespace palimpsest::attack {

inline constexpr int64_t kMaxSharedTexts = 2000;

struct SharedWords {
  double p_value = 1;
  double share = 0;     // share of the neighbours that share a rare word
  double expected = 0;  // the same in random order
  // The word that neighbours share most often, and the number of texts that contain it.
  std::string word;
  int64_t word_texts = 0;
  // The block size among `block_sizes` whose blocks share the most; 0 if there is none.
  int64_t block_size = 0;
};

// The texts of a set in file order; null for an example without a text.
using SetTexts = std::vector<const std::string*>;
// `block_sizes` are the candidates for SharedWords::block_size.
std::optional<SharedWords> test_shared_words(std::span<const SetTexts> sets,
                                             std::span<const int64_t> block_sizes,
                                             const PermutationSettings& settings);

}  // namespace palimpsest::attack
