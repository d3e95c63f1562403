// The vocabulary reduced on the fly: a row of logits arrives a tile at a time and leaves maximum,
// sum of exponentials and both moments behind, so that no row of V numbers ever exists as a whole.
#pragma once

#include <cstdint>
#include <limits>

namespace palimpsest::kernels {

// Of the logits x seen so far, with d = x - max. The label is kept apart: of a memorised token's
// probability it is the distance to 1 that matters, and that is lost in a sum with the rest.
struct VocabularyState {
  float max = -std::numeric_limits<float>::infinity();
  int64_t argmax = -1;   // the first of equals
  double others = 0;     // Σ e^d over all classes but the label
  double others_d = 0;   // Σ d e^d
  double others_d2 = 0;  // Σ d² e^d
  double label = 0;      // e^d of the label; 0 until it has been seen
  float label_logit = std::numeric_limits<float>::quiet_NaN();

  double sum() const { return others + label; }
};

// What accumulate_tile() leaves in the tile.
struct KeptExponentials {
  bool keep = false;      // e^d in place of x, the label's 0
  float inverse_cap = 0;  // not 0: e^d times the slope of the soft cap, 1 - (x · inverse_cap)²
};

// Takes in the logits of the classes [first, first + n). Returns by what exponentials of earlier
// tiles have to be multiplied to fit the new maximum.
float accumulate_tile(VocabularyState& state, float* tile, int64_t first, int64_t n, int64_t label,
                      const KeptExponentials& kept = {});

// The same from what another device found out about the tile: `sums` of the tile's logits, measured
// from its own maximum.
void accumulate_sums(VocabularyState& state, const VocabularyState& sums);

// Losses of one row of finished logits, and what training wants of them: the row becomes the
// gradient with respect to the logits before their soft cap (inverse_cap as above).

// weight · -log p(label). Returns log p(label).
double likelihood_gradient(float* logits, int64_t n, int64_t label, float weight,
                           float inverse_cap);

// weight · KL(q ‖ p) of the distribution q of another model's logits. Returns KL(q ‖ p).
double divergence_gradient(float* logits, float* others, int64_t n, float weight,
                           float inverse_cap);

struct TokenScore {
  double logprob = 0;
  double mean = 0;  // Σ p log p
  double var = 0;   // Σ p (log p)² - mean²
};

TokenScore score_of(const VocabularyState& state);

}  // namespace palimpsest::kernels
