// SURP (Zhang and Wu 2024, "Adaptive Pre-training Data Detection for Large Language Models via
// Surprising Tokens", arXiv 2407.21248): a token surprises where the model was sure of something
// else, that is, where its distribution has little entropy and the true token little probability.
// A model is seldom so mistaken about what it was trained on.
//
//   S = {t: log p(x_t) among the K lowest, entropy_t < e},  K = max(1, ⌊k·n⌋)
//   score = -mean of log p(x_t) over S
//
// with entropy_t = -mean_t of the trace, k = 0.4 and e = 2 nats; tokens that tie with the K-th
// lowest all belong to it. The tokens are the labelled ones without the last, which predicts the
// end; without any the score is undefined. Higher: less likely a member.
//
// Where S is empty the published score is a constant (-100 in its own orientation) that makes the
// example the surest non-member of all, although the model made no confident mistake. Here the
// bound on the entropy is dropped for such an example, which leaves the Min-K score: it is in the
// same unit, and it is what the score tends to as e grows.
#pragma once

#include <optional>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

// k: share of the lowest tokens, in (0, 1]; entropy: in nats, > 0.
std::optional<double> surp_score(const trace::Trace& trace, double k, double entropy);
Attack surp_attack();

}  // namespace palimpsest::attack
