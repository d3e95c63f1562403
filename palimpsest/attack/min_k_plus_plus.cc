#include "palimpsest/attack/min_k_plus_plus.h"

#include <algorithm>
#include <cmath>

#include "palimpsest/attack/lowest_share.h"

namespace palimpsest {

std::optional<double> min_k_plus_plus_score(const Trace& trace, const AttackOptions& options) {
  if (!trace.mean || !trace.var) return 0;
  constexpr double kLeastVariance = 1e-6;
  const std::span<const double> tokens = token_logprobs(trace);
  std::vector<double> standardised;
  standardised.reserve(tokens.size());
  for (size_t t = 0; t < tokens.size(); ++t) {
    const double spread = std::sqrt(std::max((*trace.var)[t], kLeastVariance));
    standardised.push_back((tokens[t] - (*trace.mean)[t]) / spread);
  }
  const std::optional<double> mean = mean_of_lowest(std::move(standardised), options.k);
  return mean ? -*mean : 0;
}

}  // namespace palimpsest
