// SURP (Zhang and Wu 2024, "Adaptive Pre-training Data Detection for Large Language Models via
// Surprising Tokens", arXiv 2407.21248). A token is surprising if the model was sure of another
// token: its distribution has low entropy, and the true token has low probability. This is rare for
// texts that the model was trained on.
//
//   S = {t: log p(x_t) among the K lowest, entropy_t < e},  K = max(1, ⌊k·n⌋)
//   score = -mean of log p(x_t) over S
//
// with entropy_t = -mean_t of the trace, k = 0.4 and e = 2 nats. All tokens that tie with the K-th
// lowest belong to the K lowest. The tokens are all labelled tokens except the last, which predicts
// the end. If there are none, the score is undefined. A higher score means less likely a member.
//
// If S is empty, the published score is a constant (-100 in its own orientation). It makes the
// example the most certain non-member of all, although the model made no confident mistake. Here
// the bound on the entropy is dropped for such an example, which leaves the Min-K score. It has the
// same unit, and it is the limit of the score as e grows.
#pragma once

#include <optional>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

// k is the share of the lowest tokens, in (0, 1]. entropy is e, in nats, > 0.
std::optional<double> surp_score(const trace::Trace& trace, double k, double entropy);
Attack surp_attack();

}  // namespace palimpsest::attack
