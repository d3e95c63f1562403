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
#include "palimpsest/attack/attack.h"

#include <algorithm>
#include <cmath>

#include "palimpsest/attack/internal/lowest_share.h"

namespace palimpsest::attack {
namespace {

std::optional<double> min_k_plus_plus_score(const trace::Trace& trace, double k) {
  if (!trace.mean || !trace.var) return 0;
  constexpr double kLeastVariance = 1e-6;
  const std::span<const double> tokens = trace::token_logprobs(trace);
  std::vector<double> standardised;
  standardised.reserve(tokens.size());
  for (size_t t = 0; t < tokens.size(); ++t) {
    const double spread = std::sqrt(std::max((*trace.var)[t], kLeastVariance));
    standardised.push_back((tokens[t] - (*trace.mean)[t]) / spread);
  }
  const std::optional<double> mean = mean_of_lowest(std::move(standardised), k);
  return mean ? -*mean : 0;
}

}  // namespace

Attack min_k_plus_plus_attack() {
  return {.name = "min_k_plus_plus",
          .measures = "Min-K on log-probabilities standardised by the model's own distribution",
          .cost = kOnePass,
          .parameters = {min_k_parameter()},
          .use = "most audits: usually the strongest without a reference model",
          .avoid = "services that return only log-probabilities of the given tokens",
          .paper = "Zhang et al. 2025, arXiv 2404.02936",
          .needs = {needs_logprob(), needs_moments()},
          .score = [](const trace::Trace& trace, const ParameterValues& values) {
            return min_k_plus_plus_score(trace, parameter_value(values, "k"));
          }};
}

}  // namespace palimpsest::attack
