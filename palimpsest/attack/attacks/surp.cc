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
#include "palimpsest/attack/attack.h"

#include <algorithm>

#include "palimpsest/attack/internal/lowest_share.h"

namespace palimpsest::attack {
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

std::optional<double> surp_score(const trace::Trace& trace, double k, double entropy) {
  const std::span<const double> tokens = trace::token_logprobs(trace);
  if (tokens.empty() || !trace.mean) return std::nullopt;
  std::vector<double> sorted(tokens.begin(), tokens.end());
  const auto last = sorted.begin() + (lowest_count(sorted.size(), k) - 1);
  std::nth_element(sorted.begin(), last, sorted.end());
  const auto score = surprise(tokens, *trace.mean, *last, entropy);
  return score ? score : -*mean_of_lowest(std::move(sorted), k);
}

}  // namespace

Attack surp_attack() {
  const ParameterRange nats = {.expected = "a number of nats greater than 0",
                               .contains = [](double value) { return value > 0; }};
  return {.name = "surp",
          .measures =
              "average loss of the unlikely tokens at which the model was sure of another token",
          .cost = kOnePass,
          .parameters = {lowest_share_parameter(0.4),
                         {.name = "entropy",
                          .meaning = "keep tokens below this entropy, in nats",
                          .default_value = 2,
                          .range = nats}},
          .use = "pretraining data in long texts",
          .avoid = "short texts: few tokens pass both bounds (none: the entropy is disregarded)",
          .paper = "Zhang and Wu 2024, arXiv 2407.21248",
          .needs = {needs_logprob(), needs_mean()},
          .score = [](const trace::Trace& trace, const ParameterValues& values) {
            return surp_score(trace, parameter_value(values, "k"),
                              parameter_value(values, "entropy"));
          }};
}

}  // namespace palimpsest::attack
