// Reduces logits over the vocabulary. A row of logits arrives one tile at a time and is reduced to
// its maximum, its sum of exponentials and two moments. So a row of V numbers is never stored as a
// whole.
#pragma once

#include <cstdint>
#include <limits>

namespace palimpsest::kernels {

// The reduction of the logits x seen so far, with d = x - max. The label is kept separately: for a
// memorised token the distance of its probability from 1 matters, and a sum with the other classes
// would lose it.
struct VocabularyState {
  float max = -std::numeric_limits<float>::infinity();
  int64_t argmax = -1;   // of equal maxima, the first
  double others = 0;     // Σ e^d over all classes except the label
  double others_d = 0;   // Σ d e^d over the same classes
  double others_d2 = 0;  // Σ d² e^d over the same classes
  double label = 0;      // e^d of the label; 0 until it was seen
  float label_logit = std::numeric_limits<float>::quiet_NaN();

  double sum() const { return others + label; }
};

// The values that accumulate_tile() leaves in the tile.
struct KeptExponentials {
  bool keep = false;      // replace x by e^d, and the label by 0
  float inverse_cap = 0;  // if not 0: multiply e^d by the soft cap's slope 1 - (x · inverse_cap)²
};

// Adds the logits of the classes [first, first + n). Returns the factor by which exponentials of
// earlier tiles must be multiplied to fit the new maximum.
float accumulate_tile(VocabularyState& state, float* tile, int64_t first, int64_t n, int64_t label,
                      const KeptExponentials& kept = {});

// Adds a tile that another device has already reduced. `sums` refers to the maximum of that tile.
void accumulate_sums(VocabularyState& state, const VocabularyState& sums);

// Losses of one row of finished logits for training. Each function replaces the row by the gradient
// of the loss with respect to the logits before their soft cap (inverse_cap as above).

// The loss weight · -log p(label). Returns log p(label).
double likelihood_gradient(float* logits, int64_t n, int64_t label, float weight,
                           float inverse_cap);

// The loss weight · KL(q ‖ p), where q is the distribution of another model's logits. Returns KL(q
// ‖ p).
double divergence_gradient(float* logits, float* others, int64_t n, float weight,
                           float inverse_cap);

struct TokenScore {
  double logprob = 0;
  double mean = 0;  // Σ p log p
  double var = 0;   // Σ p (log p)² - mean²
};

TokenScore score_of(const VocabularyState& state);

}  // namespace palimpsest::kernels
