#include "palimpsest/attack/min_k.h"

#include "palimpsest/attack/lowest_share.h"

namespace palimpsest {

std::optional<double> min_k_score(const Trace& trace, const AttackOptions& options) {
  const std::span<const double> tokens = token_logprobs(trace);
  const std::optional<double> mean = mean_of_lowest({tokens.begin(), tokens.end()}, options.k);
  return mean ? -*mean : 0;
}

}  // namespace palimpsest
