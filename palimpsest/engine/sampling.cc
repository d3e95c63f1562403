#include "palimpsest/engine/internal/sampling.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace palimpsest::engine {

void penalize(std::span<float> logits, std::span<const int64_t> occurred, double penalty) {
  const auto factor = static_cast<float>(penalty);
  for (const int64_t id : std::set<int64_t>(occurred.begin(), occurred.end())) {
    float& logit = logits[static_cast<size_t>(id)];
    logit = logit > 0 ? logit / factor : logit * factor;
  }
}

int64_t greedy_token(std::span<const float> logits) {
  return std::ranges::max_element(logits) - logits.begin();
}

int64_t sampled_token(std::span<const float> logits, const model::GenerateOptions& options,
                      Random& random) {
  std::vector<std::pair<double, int64_t>> tokens;  // logit / temperature, id
  for (size_t id = 0; id < logits.size(); ++id) {
    tokens.emplace_back(static_cast<double>(logits[id]) / options.temperature,
                        static_cast<int64_t>(id));
  }
  // Likely first; equal ones by id, so that the draw does not depend on the sorting.
  std::ranges::sort(tokens, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  if (options.top_k > 0 && options.top_k < static_cast<int64_t>(tokens.size())) {
    const double least = tokens[static_cast<size_t>(options.top_k - 1)].first;
    while (tokens.back().first < least) tokens.pop_back();
  }
  double sum = 0;
  const double greatest = tokens.front().first;
  for (auto& [value, id] : tokens) {
    value = std::exp(value - greatest);
    sum += value;
  }
  double kept = 0;
  size_t count = 0;
  while (count < tokens.size() && (count == 0 || kept < options.top_p * sum)) {
    kept += tokens[count++].first;
  }
  double left = random.uniform() * kept;
  for (size_t i = 0; i + 1 < count; ++i) {
    left -= tokens[i].first;
    if (left < 0) return tokens[i].second;
  }
  return tokens[count - 1].second;
}

}  // namespace palimpsest::engine
