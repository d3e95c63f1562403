#include "palimpsest/stat/effective_epsilon.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace palimpsest::stat {
namespace {

// a/b, where 0/0 is undefined and a positive number over zero infinite.
std::optional<double> odds(double a, double b) {
  if (b > 0) return a / b;
  if (a > 0) return std::numeric_limits<double>::infinity();
  return std::nullopt;
}

// The larger of TP/FP and (1-FP)/(1-TP); undefined without both classes or where both are 0/0.
std::optional<double> larger_odds(const Confusion& counts) {
  const std::optional<double> tp = counts.true_positive_rate();
  const std::optional<double> fp = counts.false_positive_rate();
  if (!tp || !fp) return std::nullopt;
  const std::optional<double> of_positives = odds(*tp, *fp);
  const std::optional<double> of_negatives = odds(1 - *fp, 1 - *tp);
  if (!of_positives && !of_negatives) return std::nullopt;
  return std::max(of_positives.value_or(0), of_negatives.value_or(0));
}

}  // namespace

std::optional<double> effective_epsilon(const Confusion& counts) {
  const std::optional<double> ratio = larger_odds(counts);
  return ratio ? std::optional(std::log(*ratio)) : std::nullopt;
}

std::optional<double> effective_epsilon(const ScoresView& scores) {
  if (!scores.has_both_classes()) return std::nullopt;
  return effective_epsilon(group_scores(scores));
}

std::optional<double> effective_epsilon(std::span<const ScoreGroup> groups) {
  Confusion at_least;
  for (const ScoreGroup& group : groups) {
    at_least.true_positives += group.positives;
    at_least.false_positives += group.negatives;
  }
  const int64_t positives = at_least.true_positives;
  const int64_t negatives = at_least.false_positives;
  if (positives == 0 || negatives == 0) return std::nullopt;
  const int64_t count = positives + negatives;
  const int64_t margin = std::max<int64_t>(1, std::min<int64_t>(10, count / 10));
  std::optional<double> largest;
  int64_t rank = 0;  // of the group's first item among all sorted scores
  for (const ScoreGroup& group : groups) {
    const int64_t after = rank + group.positives + group.negatives;
    // Some item of the group lies between the margins.
    const bool significant = std::max(rank, margin) < std::min(after, count - margin);
    const bool all_positive =
        at_least.true_positives == positives && at_least.false_positives == negatives;
    if (significant && !all_positive) {
      const std::optional<double> ratio = larger_odds(at_least);
      if (ratio && (!largest || *ratio > *largest)) largest = ratio;
    }
    at_least.true_positives -= group.positives;
    at_least.false_negatives += group.positives;
    at_least.false_positives -= group.negatives;
    at_least.true_negatives += group.negatives;
    rank = after;
  }
  return largest ? std::optional(std::log(*largest)) : std::nullopt;
}

}  // namespace palimpsest::stat
