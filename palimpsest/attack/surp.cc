#include "palimpsest/attack/surp.h"

#include <algorithm>

#include "palimpsest/attack/lowest_share.h"

namespace palimpsest {
namespace {

// -mean of the tokens at or below `bound` whose entropy is below `entropy`; nullopt for none.
std::optional<double> surprise(std::span<const double> tokens, const std::vector<double>& mean,
                               double bound, double entropy) {
  double sum = 0;
  int64_t count = 0;
  for (size_t t = 0; t < tokens.size(); ++t) {
    if (tokens[t] > bound || -mean[t] >= entropy) continue;
    sum -= tokens[t];
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

}  // namespace

std::optional<double> surp_score(const Trace& trace, const AttackOptions& options) {
  const std::span<const double> tokens = token_logprobs(trace);
  if (tokens.empty() || !trace.mean) return std::nullopt;
  std::vector<double> sorted(tokens.begin(), tokens.end());
  const auto last = sorted.begin() + (lowest_count(sorted.size(), options.surp_k) - 1);
  std::nth_element(sorted.begin(), last, sorted.end());
  const auto score = surprise(tokens, *trace.mean, *last, options.surp_entropy);
  return score ? score : -*mean_of_lowest(std::move(sorted), options.surp_k);
}

}  // namespace palimpsest
