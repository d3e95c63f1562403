#include "palimpsest/stat/two_step_epsilon.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"
#include "palimpsest/stat/binomial.h"
#include "palimpsest/stat/internal/validation_part.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {
namespace {

constexpr double kInfiniteEpsilon = std::numeric_limits<double>::infinity();
constexpr double kSelectionConfidence = 0.9;

// Counts behind one ratio of rates, numerator over denominator.
struct RateCounts {
  int64_t hits = 0;
  int64_t hit_trials = 0;
  int64_t misses = 0;
  int64_t miss_trials = 0;

  double ratio() const {
    const double numerator = static_cast<double>(hits) / static_cast<double>(hit_trials);
    return numerator / (static_cast<double>(misses) / static_cast<double>(miss_trials));
  }
};

// How many items of each class score at least, and at most, one threshold.
struct ThresholdCounts {
  double threshold = 0;
  int64_t rank = 0;  // of its first item among all sorted scores
  int64_t size = 0;  // items that share the score
  int64_t positives_from = 0;
  int64_t negatives_from = 0;
  int64_t positives_up_to = 0;
  int64_t negatives_up_to = 0;
};

struct Choice {
  int64_t attack = 0;
  double threshold = 0;
  EpsilonSide side = EpsilonSide::kPositives;
};

RateCounts counts_on(EpsilonSide side, const ThresholdCounts& at, const ScoresView& scores) {
  if (side == EpsilonSide::kPositives) {
    return {at.positives_from, scores.positive_count(), at.negatives_from, scores.negative_count()};
  }
  return {at.negatives_up_to, scores.negative_count(), at.positives_up_to, scores.positive_count()};
}

double epsilon_low(const RateCounts& counts, double tail, double delta = 0) {
  const double numerator = clopper_pearson_lower(counts.hits, counts.hit_trials, tail) - delta;
  const double denominator = clopper_pearson_upper(counts.misses, counts.miss_trials, tail);
  return numerator > 0 ? std::max(0.0, std::log(numerator / denominator)) : 0;
}

double epsilon_high(const RateCounts& counts, double tail, double delta = 0) {
  const double numerator = clopper_pearson_upper(counts.hits, counts.hit_trials, tail) - delta;
  const double denominator = clopper_pearson_lower(counts.misses, counts.miss_trials, tail);
  if (denominator > 0) return std::log(numerator / denominator);
  return kInfiniteEpsilon;
}

// With δ a rate may be below 0 or an upper end, too: then every ε is allowed from 0 on.
Interval epsilon_at(const RateCounts& counts, double tail, double delta) {
  const double high = epsilon_high(counts, tail, delta);
  return {epsilon_low(counts, tail, delta), high > 0 ? high : 0};
}

// Both rates hold together with probability `confidence` if each two-sided interval has these
// tails.
double tail_of_each_rate(double confidence) {
  return (1 - confidence) / 4;
}

std::vector<ThresholdCounts> thresholds_of(const ScoresView& scores) {
  std::vector<ThresholdCounts> thresholds;
  int64_t positives = 0;
  int64_t negatives = 0;
  for (const ScoreGroup& group : group_scores(scores)) {
    thresholds.push_back({.threshold = group.score,
                          .rank = positives + negatives,
                          .size = group.positives + group.negatives,
                          .positives_from = scores.positive_count() - positives,
                          .negatives_from = scores.negative_count() - negatives,
                          .positives_up_to = positives + group.positives,
                          .negatives_up_to = negatives + group.negatives});
    positives += group.positives;
    negatives += group.negatives;
  }
  return thresholds;
}

constexpr EpsilonSide kSides[] = {EpsilonSide::kPositives, EpsilonSide::kNegatives};

// The largest lower bound over every `stride`-th threshold: what the best one reaches at least.
// Many thresholds can be ruled out by it without their beta quantiles, which are what takes time.
double reachable_bound(const std::vector<ValidationParts>& attacks, size_t stride) {
  double best = 0;
  for (const ValidationParts& attack : attacks) {
    if (!attack.validation.has_both_classes()) continue;
    const std::vector<ThresholdCounts> thresholds = thresholds_of(attack.validation);
    for (size_t t = 0; t < thresholds.size(); t += stride) {
      for (EpsilonSide side : kSides) {
        const RateCounts counts = counts_on(side, thresholds[t], attack.validation);
        best = std::max(best, epsilon_low(counts, tail_of_each_rate(kSelectionConfidence)));
      }
    }
  }
  return best;
}

std::optional<Choice> choose_by_clopper_pearson(const std::vector<ValidationParts>& attacks) {
  constexpr size_t kStride = 64;
  const double reachable = reachable_bound(attacks, kStride);
  std::optional<Choice> choice;
  double best = -1;
  for (size_t a = 0; a < attacks.size(); ++a) {
    const ScoresView scores = attacks[a].validation;
    if (!scores.has_both_classes()) continue;
    for (const ThresholdCounts& at : thresholds_of(scores)) {
      for (EpsilonSide side : kSides) {
        const RateCounts counts = counts_on(side, at, scores);
        // The bound lies below the ratio itself; the margin is for rounding.
        if (reachable > 0 && std::log(counts.ratio()) < reachable - 1e-9) continue;
        const double low = epsilon_low(counts, tail_of_each_rate(kSelectionConfidence));
        if (low <= best) continue;
        best = low;
        choice = {static_cast<int64_t>(a), at.threshold, side};
      }
    }
  }
  return choice;
}

std::optional<Choice> choose_by_ratio(const std::vector<ValidationParts>& attacks) {
  std::optional<Choice> choice;
  double best = -1;
  int64_t best_hits = 0;  // where the best ratio is infinite
  for (size_t a = 0; a < attacks.size(); ++a) {
    const ScoresView scores = attacks[a].validation;
    if (!scores.has_both_classes()) continue;
    const int64_t count = scores.positive_count() + scores.negative_count();
    const int64_t margin = std::min<int64_t>(10, 1 + count / 10);
    const int64_t least_hits = std::max<int64_t>(10, count / 20);
    for (const ThresholdCounts& at : thresholds_of(scores)) {
      if (std::max(at.rank, margin) >= std::min(at.rank + at.size, count - margin)) continue;
      for (EpsilonSide side : kSides) {
        RateCounts counts = counts_on(side, at, scores);
        if (side == EpsilonSide::kNegatives) {
          // Here, unlike in step 2, an item at the threshold counts as positive on both sides.
          counts.hits = scores.negative_count() - at.negatives_from;
          counts.misses = scores.positive_count() - at.positives_from;
        }
        const bool infinite = counts.misses == 0;
        if (infinite ? counts.hits >= std::max(least_hits, best_hits)
                     : best < kInfiniteEpsilon && counts.ratio() > best) {
          best = infinite ? kInfiniteEpsilon : counts.ratio();
          if (infinite) best_hits = counts.hits;
          choice = {static_cast<int64_t>(a), at.threshold, side};
        }
      }
    }
  }
  return choice;
}

RateCounts counts_at(const Choice& choice, const ScoresView& scores) {
  auto count = [&](std::span<const double> values) -> int64_t {
    return std::count_if(values.begin(), values.end(), [&](double value) {
      return choice.side == EpsilonSide::kPositives ? value >= choice.threshold
                                                    : value <= choice.threshold;
    });
  };
  const auto& [hit, miss] = choice.side == EpsilonSide::kPositives
                                ? std::pair(&scores.positives, &scores.negatives)
                                : std::pair(&scores.negatives, &scores.positives);
  return {count(*hit), static_cast<int64_t>(hit->size()), count(*miss),
          static_cast<int64_t>(miss->size())};
}

Confusion to_confusion(const RateCounts& counts) {
  return {.true_positives = counts.hits,
          .false_negatives = counts.hit_trials - counts.hits,
          .false_positives = counts.misses,
          .true_negatives = counts.miss_trials - counts.misses};
}

void require_valid(const TwoStepOptions& options) {
  require_validation_share(options.validation_split);
  for (double confidence : options.confidence_levels) require_confidence(confidence);
  if (!(options.delta >= 0 && options.delta < 1))
    throw Error(fmt::format("delta must lie in [0, 1), but is {}", options.delta));
}

}  // namespace

std::vector<bool> validation_items(std::span<const int> labels, const TwoStepOptions& options) {
  require_valid(options);
  const size_t count = labels.size();
  std::vector<bool> chosen(count, false);
  if (options.split == ValidationSplit::kPrefix) {
    const double wanted = options.validation_split * static_cast<double>(count);
    std::fill_n(chosen.begin(), static_cast<size_t>(wanted), true);
    return chosen;
  }
  for (int label : {0, 1}) {
    std::vector<size_t> items;
    for (size_t i = 0; i < count; ++i) {
      if (labels[i] == label) items.push_back(i);
    }
    const std::vector<bool> drawn =
        draw_validation_part(items.size(), options.validation_split,
                             Random(options.seed).split(static_cast<uint64_t>(label)));
    for (size_t i = 0; i < items.size(); ++i) chosen[items[i]] = drawn[i];
  }
  return chosen;
}

ValidationParts split_for_validation(const AttackScores& attack, const TwoStepOptions& options) {
  split_by_label(attack.labels, attack.scores);  // throws on bad labels, scores or lengths
  const std::vector<bool> chosen = validation_items(attack.labels, options);
  ValidationParts parts;
  for (size_t i = 0; i < chosen.size(); ++i) {
    LabelledScores& part = chosen[i] ? parts.validation : parts.rest;
    (attack.labels[i] == 1 ? part.positives : part.negatives).push_back(attack.scores[i]);
  }
  return parts;
}

std::optional<TwoStepEpsilon> two_step_epsilon(std::span<const AttackScores> attacks,
                                               const TwoStepOptions& options) {
  require_valid(options);
  std::vector<ValidationParts> parts;
  for (const AttackScores& attack : attacks) {
    parts.push_back(split_for_validation(attack, options));
  }
  const std::optional<Choice> choice = options.heuristic == EpsilonHeuristic::kRatio
                                           ? choose_by_ratio(parts)
                                           : choose_by_clopper_pearson(parts);
  if (!choice) return std::nullopt;
  const ScoresView test = parts[static_cast<size_t>(choice->attack)].rest;
  if (!test.has_both_classes()) return std::nullopt;
  const RateCounts counts = counts_at(*choice, test);
  TwoStepEpsilon result{choice->attack, choice->threshold, choice->side, to_confusion(counts), {}};
  if (choice->side == EpsilonSide::kNegatives) result.counts = result.counts.swapped();
  for (double confidence : options.confidence_levels) {
    const double tail = tail_of_each_rate(confidence);
    result.bounds.push_back({confidence,
                             {epsilon_low(counts, tail), epsilon_high(counts, tail)},
                             epsilon_at(counts, tail, options.delta)});
  }
  return result;
}

}  // namespace palimpsest::stat
