#include "palimpsest/stat/auc.h"

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/binomial.h"

namespace palimpsest::stat {

std::optional<double> auc(const ScoresView& scores) {
  return auc(scores.positives, scores.negatives);
}

std::optional<double> auc(std::span<const double> positive_scores,
                          std::span<const double> negative_scores) {
  if (positive_scores.empty() || negative_scores.empty()) return std::nullopt;
  std::vector<double> positives(positive_scores.begin(), positive_scores.end());
  std::vector<double> negatives(negative_scores.begin(), negative_scores.end());
  sort_ascending(positives);
  sort_ascending(negatives);
  int64_t doubled_wins = 0;
  size_t below = 0;  // negatives lower than the positive
  size_t up_to = 0;  // negatives lower than or equal to it
  for (double positive : positives) {
    while (below < negatives.size() && negatives[below] < positive) ++below;
    up_to = std::max(up_to, below);
    while (up_to < negatives.size() && negatives[up_to] == positive) ++up_to;
    doubled_wins += static_cast<int64_t>(below + up_to);
  }
  return static_cast<double>(doubled_wins) /
         (2.0 * static_cast<double>(positives.size()) * static_cast<double>(negatives.size()));
}

std::vector<int64_t> doubled_placements(std::span<const double> positives,
                                        std::span<const double> negatives) {
  std::vector<double> sorted(negatives.begin(), negatives.end());
  sort_ascending(sorted);
  std::vector<int64_t> placements;
  placements.reserve(positives.size());
  for (double positive : positives) {
    const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), positive);
    placements.push_back((low - sorted.begin()) + (high - sorted.begin()));
  }
  return placements;
}

Interval separated_auc_interval(double auc, const ScoresView& scores, double confidence) {
  PALIMPSEST_CHECK(auc == 0 || auc == 1);
  const int64_t pairs = std::min(scores.positive_count(), scores.negative_count());
  return clopper_pearson(auc == 1 ? pairs : 0, pairs, confidence);
}

}  // namespace palimpsest::stat
