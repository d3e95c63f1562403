#include "palimpsest/attack/min_k.h"

#include "palimpsest/attack/lowest_share.h"

namespace palimpsest {

std::optional<double> min_k_score(const Trace& trace, const AttackOptions& options) {
  if (!trace.logprob || trace.logprob->empty()) return 0;
  std::vector<double> tokens(trace.logprob->begin(), trace.logprob->end() - 1);
  const std::optional<double> mean = mean_of_lowest(std::move(tokens), options.k);
  return mean ? -*mean : 0;
}

}  // namespace palimpsest
