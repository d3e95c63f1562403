// Min-K%++ (Zhang et al. 2025, arXiv 2404.02936): as Min-K, but each token is judged against the
// model's own distribution at its place, so that tokens which are hard for everybody do not count.
//
//   z_t = (log p(x_t) - mean_t)/sqrt(max(var_t, 1e-6))
//   with mean_t = Σ_v p log p and var_t = Σ_v p (log p)² - mean_t²
//   score = -mean of the K lowest z, K = max(1, ⌊k·n⌋)
//
// The tokens are the labelled ones without the last, which predicts the end. Without any the score
// is 0.
#pragma once

#include <optional>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

std::optional<double> min_k_plus_plus_score(const trace::Trace& trace, double k);
Attack min_k_plus_plus_attack();

}  // namespace palimpsest::attack
