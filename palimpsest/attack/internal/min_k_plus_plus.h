// Min-K%++ (Zhang et al. 2025, arXiv 2404.02936). It works like Min-K, but compares each token with
// the model's own distribution at its position. So tokens that are hard to predict for any model do
// not count.
//
//   z_t = (log p(x_t) - mean_t)/sqrt(max(var_t, 1e-6))
//   with mean_t = Σ_v p log p and var_t = Σ_v p (log p)² - mean_t²
//   score = -mean of the K lowest z, K = max(1, ⌊k·n⌋)
//
// The tokens are all labelled tokens except the last, which predicts the end. If there are none,
// the score is 0.
#pragma once

#include <optional>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

std::optional<double> min_k_plus_plus_score(const trace::Trace& trace, double k);
Attack min_k_plus_plus_attack();

}  // namespace palimpsest::attack
