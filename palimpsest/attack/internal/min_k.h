// Min-K% Prob (Shi et al. 2024, arXiv 2310.16789): a member has few tokens that the model finds
// very unlikely.
//
//   score = -mean of the K lowest token log-probabilities, K = max(1, ⌊k·n⌋)
//
// The tokens are all labelled tokens except the last, which predicts the end. If there are none,
// the score is 0.
#pragma once

#include <optional>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

std::optional<double> min_k_score(const trace::Trace& trace, double k);
Attack min_k_attack();

// The parameter k, which Min-K++ shares.
AttackParameter min_k_parameter();

}  // namespace palimpsest::attack
