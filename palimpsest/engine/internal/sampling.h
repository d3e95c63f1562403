// Chooses the next token from the logits of one position.
#pragma once

#include <cstdint>
#include <span>

#include "palimpsest/base/random.h"
#include "palimpsest/model/language_model.h"

namespace palimpsest::engine {

// Penalises tokens that already occurred: a positive logit is divided by the penalty, a negative
// one is multiplied. It is applied once per token, however often the token occurred.
void penalize(std::span<float> logits, std::span<const int64_t> occurred, double penalty);

// The token with the greatest logit; of equal ones, the first.
int64_t greedy_token(std::span<const float> logits);

// Draws a token after temperature, then top-k (tokens that tie with the k-th stay), then top-p: the
// most likely tokens whose probabilities together reach top_p, and at least one.
int64_t sampled_token(std::span<const float> logits, const model::GenerateOptions& options,
                      Random& random);

}  // namespace palimpsest::engine
