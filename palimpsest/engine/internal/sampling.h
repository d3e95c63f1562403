// From the logits of one position to the next token.
#pragma once

#include <cstdint>
#include <span>

#include "palimpsest/base/random.h"
#include "palimpsest/model/language_model.h"

namespace palimpsest::engine {

// Logits of tokens that occurred already are divided by the penalty if positive, else multiplied;
// each once, however often it occurred.
void penalize(std::span<float> logits, std::span<const int64_t> occurred, double penalty);

// The greatest logit; the first of equals.
int64_t greedy_token(std::span<const float> logits);

// A token drawn after temperature, then top-k (ties with the k-th stay), then top-p: the most
// likely tokens whose probabilities together reach top_p, at least one.
int64_t sampled_token(std::span<const float> logits, const model::GenerateOptions& options,
                      Random& random);

}  // namespace palimpsest::engine
