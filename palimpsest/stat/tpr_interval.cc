#include "palimpsest/stat/tpr_interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/internal/clustered_rate.h"

namespace palimpsest::stat {
namespace {

// 0.07 * 100 is a little more than 7, 0.29 * 100 a little less than 29.
constexpr double kRateRounding = 1e-9;

// The probabilities of Bin(trials, rate), those left out that are below 1e-17 of the largest: some
// 17 standard deviations of the number of successes, whatever the number of trials. Starting from
// the mode and normalising needs no factorials and loses nothing.
struct BinomialMass {
  int64_t first = 0;            // successes that the first entry belongs to
  std::vector<double> weights;  // they add up to 1

  BinomialMass(int64_t trials, double rate);
};

BinomialMass::BinomialMass(int64_t trials, double rate) {
  constexpr double kNegligible = 1e-17;
  const auto n = static_cast<double>(trials);
  const auto mode = std::min(trials, static_cast<int64_t>((n + 1) * rate));
  const double odds = rate / (1 - rate);
  std::vector<double> down;
  double weight = 1;
  for (int64_t k = mode; k > 0; --k) {
    weight *= static_cast<double>(k) / ((n - static_cast<double>(k) + 1) * odds);
    if (weight < kNegligible) break;
    down.push_back(weight);
  }
  first = mode - static_cast<int64_t>(down.size());
  weights.assign(down.rbegin(), down.rend());
  weights.push_back(1);
  weight = 1;
  for (int64_t k = mode; k < trials; ++k) {
    weight *= (n - static_cast<double>(k)) * odds / (static_cast<double>(k) + 1);
    if (weight < kNegligible) break;
    weights.push_back(weight);
  }
  double sum = 0;
  for (double w : weights) sum += w;
  for (double& w : weights) w /= sum;
}

// F_Beta(x, m - x + 1)(t) = P(Bin(m, t) >= x) for all x at once, t in (0, 1). Between whole numbers
// of successes, which clusters bring about, it is interpolated.
class BetaTails {
 public:
  BetaTails(int64_t trials, double t) : mass_(trials, t), at_least_(mass_.weights.size() + 1, 0) {
    for (size_t i = mass_.weights.size(); i-- > 0;)
      at_least_[i] = std::min(1.0, at_least_[i + 1] + mass_.weights[i]);
  }

  double operator()(double x) const {
    const double offset = x - static_cast<double>(mass_.first);
    if (offset <= 0) return 1;
    const auto last = static_cast<double>(at_least_.size() - 1);
    if (offset >= last) return 0;
    const auto below = static_cast<size_t>(offset);
    const double share = offset - static_cast<double>(below);
    return at_least_[below] + share * (at_least_[below + 1] - at_least_[below]);
  }

 private:
  BinomialMass mass_;
  std::vector<double> at_least_;
};

// The `order`-th highest value, counted from 1.
double nth_highest(std::vector<double> values, int64_t order) {
  const auto nth = values.begin() + (order - 1);
  std::nth_element(values.begin(), nth, values.end(), std::greater<>());
  return *nth;
}

// x_j of the header for the orders up to `highest` and for n + 1. Only what lies above is sorted.
class PositivesAbove {
 public:
  PositivesAbove(const ScoresView& scores, int64_t highest)
      : all_positives_(scores.positive_count()),
        negatives_(scores.negatives.begin(), scores.negatives.end()) {
    const int64_t count = std::clamp<int64_t>(highest, 1, scores.negative_count());
    const auto end = negatives_.begin() + count;
    std::nth_element(negatives_.begin(), end - 1, negatives_.end(), std::greater<>());
    negatives_.erase(end, negatives_.end());
    std::sort(negatives_.begin(), negatives_.end(), std::greater<>());
    for (double score : scores.positives) {
      if (score > negatives_.back()) positives_.push_back(score);
    }
    std::sort(positives_.begin(), positives_.end());
  }

  int64_t operator()(int64_t order) const {
    if (order <= 0) return 0;
    if (order > static_cast<int64_t>(negatives_.size())) return all_positives_;
    const double threshold = negatives_[static_cast<size_t>(order - 1)];
    return positives_.end() - std::upper_bound(positives_.begin(), positives_.end(), threshold);
  }

 private:
  int64_t all_positives_;
  std::vector<double> negatives_;  // the highest, falling
  std::vector<double> positives_;  // those above the lowest of them, rising
};

// The design effect of "above the threshold".
std::optional<double> effect_above(std::span<const double> scores,
                                   const std::vector<int64_t>& clusters, double threshold) {
  ClusteredFlags items{.flags = {}, .clusters = clusters};
  for (double score : scores) items.flags.push_back(score > threshold);
  return share_design_effect(items);
}

// What the sets are worth in independent items.
struct EffectiveSizes {
  int64_t positives = 0;
  int64_t negatives = 0;
};

EffectiveSizes effective_sizes(const ScoresView& scores, const ScoreClusters& clusters,
                               double threshold) {
  const auto positives = effect_above(scores.positives, clusters.positives, threshold);
  const auto negatives = effect_above(scores.negatives, clusters.negatives, threshold);
  // A share of 0 or 1 does not say how its clusters scatter; the other class does.
  auto divided = [](int64_t count, const std::optional<double>& own,
                    const std::optional<double>& other) {
    // Clusters of one are worth their number, whatever rounding does to a ratio of 1.
    const double effect = own.value_or(other.value_or(1)) * (1 - kRateRounding);
    return std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(count) / effect));
  };
  return {divided(scores.positive_count(), positives, negatives),
          divided(scores.negative_count(), negatives, positives)};
}

// One summand of H, both of its Beta distributions.
struct MixtureTerm {
  double weight = 0;
  double low = 0;   // x_K, in effective positives
  double high = 0;  // x_{K+1} + 1
};

std::vector<MixtureTerm> mixture_terms(const ScoresView& scores, const EffectiveSizes& sizes,
                                       double fpr) {
  const double shrunk =
      static_cast<double>(sizes.positives) / static_cast<double>(scores.positive_count());
  const double stretch =
      static_cast<double>(scores.negative_count()) / static_cast<double>(sizes.negatives);
  const BinomialMass mass(sizes.negatives, fpr);
  // Orders between two negatives widen the interval rather than narrow it.
  auto order_below = [&](int64_t beyond) {
    return static_cast<int64_t>(std::floor(static_cast<double>(beyond) * stretch + kRateRounding));
  };
  auto order_above = [&](int64_t beyond) {
    return static_cast<int64_t>(std::ceil(static_cast<double>(beyond) * stretch - kRateRounding));
  };
  const int64_t last = mass.first + static_cast<int64_t>(mass.weights.size());
  const PositivesAbove above(scores, order_above(last));
  std::vector<MixtureTerm> terms;
  for (int64_t k = mass.first; k < last; ++k) {
    terms.push_back({.weight = mass.weights[static_cast<size_t>(k - mass.first)],
                     .low = shrunk * static_cast<double>(above(order_below(k))),
                     .high = shrunk * static_cast<double>(above(order_above(k + 1))) + 1});
  }
  return terms;
}

double mixture(const std::vector<MixtureTerm>& terms, int64_t positives, double t) {
  const BetaTails tails(positives, t);
  double sum = 0;
  for (const MixtureTerm& term : terms) sum += term.weight * (tails(term.low) + tails(term.high));
  return sum / 2;
}

// The t at which the mixture reaches the level; 0 or 1 where it has more than that already at 0, or
// less still at 1.
double mixture_quantile(const std::vector<MixtureTerm>& terms, int64_t positives, double level) {
  double low = 0;
  double high = 1;
  constexpr int kHalvings = 50;  // beyond what the probabilities are good for
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (mixture(terms, positives, middle) < level ? low : high) = middle;
  }
  constexpr double kEdge = 1e-14;
  if (high < kEdge) return 0;
  return low > 1 - kEdge ? 1 : (low + high) / 2;
}

}  // namespace

int64_t negatives_for_fpr(double fpr) {
  return static_cast<int64_t>(std::ceil(3 / fpr - kRateRounding));
}

double expected_fpr(int64_t negatives, double fpr) {
  const auto n = static_cast<double>(negatives);
  return (std::floor(n * fpr + kRateRounding) + 1) / (n + 1);
}

std::optional<Interval> tpr_interval(const ScoresView& scores, const ScoreClusters& clusters,
                                     double fpr, double confidence) {
  if (!(fpr > 0 && fpr < 1)) {
    throw Error({.what = fmt::format("the false positive rate {} is out of range", fpr),
                 .expected = "a number in (0, 1)"});
  }
  require_confidence(confidence);
  require_matching(clusters, scores);
  const int64_t negatives = scores.negative_count();
  if (!scores.has_both_classes() || negatives < negatives_for_fpr(fpr)) return std::nullopt;
  const auto beyond =
      static_cast<int64_t>(std::floor(static_cast<double>(negatives) * fpr + kRateRounding));
  const double threshold = nth_highest({scores.negatives.begin(), scores.negatives.end()},
                                       std::min(beyond + 1, negatives));
  const EffectiveSizes sizes = effective_sizes(scores, clusters, threshold);
  const std::vector<MixtureTerm> terms = mixture_terms(scores, sizes, fpr);
  const double tail = (1 - confidence) / 2;
  return Interval{mixture_quantile(terms, sizes.positives, tail),
                  mixture_quantile(terms, sizes.positives, 1 - tail)};
}

}  // namespace palimpsest::stat
