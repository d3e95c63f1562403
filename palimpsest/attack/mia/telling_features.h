// What gave two sets of texts away: the words and pairs of words, and the length, on which a linear
// classifier of the texts leans most, so that a user can repair the sets. With the coefficients α of a
// ridge regression (stat/ridge.h) the weight of a word is
//
//   w = Σ_i α_i x_i,   x_i its value in text i (weighted_words() of text_features.h)
//
// and its strength w·(mean of x over the holdout texts - mean over the forget texts): what it adds to
// the difference between the mean scores of the sets. Left out are words that add nothing and those of
// a single unit, which cannot tell a text of another one. Of two with a word in common that speak for
// the same set the stronger is named.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/blind_texts.h"

namespace palimpsest {

struct TellingFeature {
  std::string name;     // "author", "was born"; of the length "more than 120 bytes"
  bool is_word = true;  // else the length
  std::string side;     // "forget" or "holdout": the set that it speaks for
  int64_t forget = 0;   // texts that have it, of those used
  int64_t holdout = 0;
};

// The `most` strongest, the strongest first. `coefficients`: one per text, positive ones speak for the
// holdout set; `lengths`: the standardised length of each text. Words are looked for in the first
// `max_bytes` of each text.
std::vector<TellingFeature> telling_features(const std::vector<BlindText>& texts,
                                             std::span<const double> coefficients,
                                             std::span<const double> lengths, size_t max_bytes,
                                             size_t most);

}  // namespace palimpsest
