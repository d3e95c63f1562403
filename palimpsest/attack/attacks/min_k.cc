// Min-K% Prob (Shi et al. 2024, arXiv 2310.16789): a member has few tokens that the model finds
// very unlikely.
//
//   score = -mean of the K lowest token log-probabilities, K = max(1, ⌊k·n⌋)
//
// The tokens are all labelled tokens except the last, which predicts the end. If there are none,
// the score is 0.
#include "palimpsest/attack/attack.h"

#include "palimpsest/attack/internal/lowest_share.h"

namespace palimpsest::attack {
namespace {

std::optional<double> min_k_score(const trace::Trace& trace, double k) {
  const std::span<const double> tokens = trace::token_logprobs(trace);
  const std::optional<double> mean = mean_of_lowest({tokens.begin(), tokens.end()}, k);
  return mean ? -*mean : 0;
}

}  // namespace

Attack min_k_attack() {
  return {.name = "min_k",
          .measures = "average loss of the share k of the least likely tokens",
          .cost = kOnePass,
          .parameters = {min_k_parameter()},
          .use = "longer texts, where a few rare words give membership away",
          .avoid = "texts of fewer than ten tokens: the share is then one or two of them",
          .paper = "Shi et al. 2024, arXiv 2310.16789",
          .needs = {needs_logprob()},
          .score = [](const trace::Trace& trace, const ParameterValues& values) {
            return min_k_score(trace, parameter_value(values, "k"));
          }};
}

}  // namespace palimpsest::attack
