// The features by which two sets of texts can be distinguished: the words, the pairs of words and
// the length to which a linear classifier of the texts gives most weight. A user can repair the
// sets with this list. The classifier is a ridge regression (stat/internal/ridge.h), and α_i is its
// coefficient for text i. The weight of a word is
//
//   w = Σ_i α_i x_i,   x_i its value in text i (weighted_words() of text_features.h)
//
// Its strength is w·(mean of x over the holdout texts - mean over the forget texts): the amount
// that the word adds to the difference between the mean scores of the sets. Words that add nothing
// are left out. So are words that occur in a single unit (blind_texts.h), because they cannot help
// to classify the texts of other units. If two features share a word and point to the same set,
// only the stronger is listed.
#pragma once

#include <span>
#include <vector>

#include "palimpsest/attack/internal/mia/blind_texts.h"
#include "palimpsest/attack/mia/findings.h"

namespace palimpsest::attack {

// Returns at most `most` features, the strongest first. `coefficients` holds one number per text;
// positive ones point to the holdout set. `lengths` holds the standardised length of each text.
// Only the first `max_bytes` bytes of each text are searched for words.
std::vector<InformativeFeature> informative_features(const std::vector<BlindText>& texts,
                                                     std::span<const double> coefficients,
                                                     std::span<const double> lengths,
                                                     size_t max_bytes, size_t most);

}  // namespace palimpsest::attack
