#include "palimpsest/stat/roc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/tpr_interval.h"

namespace palimpsest::stat {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What is called positive at one threshold.
struct Cut {
  double threshold = kInfinity;
  int64_t true_positives = 0;
  int64_t false_positives = 0;
};

// One cut per distinct score, in order of falling threshold, after the cut that calls nothing
// positive.
std::vector<Cut> cuts_of(const ScoresView& scores) {
  const std::vector<ScoreGroup> groups = group_scores(scores);
  std::vector<Cut> cuts = {Cut{}};
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    cuts.push_back({.threshold = group->score,
                    .true_positives = cuts.back().true_positives + group->positives,
                    .false_positives = cuts.back().false_positives + group->negatives});
  }
  return cuts;
}

bool on_a_line(const Cut& a, const Cut& b, const Cut& c) {
  return b.true_positives - a.true_positives == c.true_positives - b.true_positives &&
         b.false_positives - a.false_positives == c.false_positives - b.false_positives;
}

// The first cut at which `value` is largest.
std::optional<BestThreshold> best_cut(const ScoresView& scores,
                                      const std::function<double(const Cut&)>& value) {
  if (!scores.has_both_classes()) return std::nullopt;
  BestThreshold best{.value = -kInfinity};
  for (const Cut& cut : cuts_of(scores)) {
    if (value(cut) > best.value) best = {value(cut), cut.threshold};
  }
  return best;
}

// The lowest threshold that still takes in a positive while at most the share `fpr` of the
// negatives lies at or above it. Found without sorting: it is the lowest positive above the first
// negative too many.
Cut best_cut_at(const ScoresView& scores, double fpr) {
  // 0.07 * 100 is a little more than 7, 0.29 * 100 a little less than 29.
  const auto allowed =
      static_cast<int64_t>(fpr * static_cast<double>(scores.negative_count()) + 1e-9);
  double first_too_many = -kInfinity;
  if (allowed < scores.negative_count()) {
    std::vector<double> negatives(scores.negatives.begin(), scores.negatives.end());
    const auto nth = negatives.begin() + allowed;
    std::nth_element(negatives.begin(), nth, negatives.end(), std::greater<>());
    first_too_many = *nth;
  }
  Cut cut;
  for (double score : scores.positives) {
    if (score <= first_too_many) continue;
    ++cut.true_positives;
    cut.threshold = std::min(cut.threshold, score);
  }
  cut.false_positives = std::count_if(scores.negatives.begin(), scores.negatives.end(),
                                      [&](double score) { return score >= cut.threshold; });
  return cut;
}

}  // namespace

std::optional<RocCurve> roc_curve(const ScoresView& scores, const RocOptions& options) {
  if (!scores.has_both_classes()) return std::nullopt;
  const std::vector<Cut> cuts = cuts_of(scores);
  RocCurve curve;
  for (size_t i = 0; i < cuts.size(); ++i) {
    // scikit-learn thins the curve before it prepends (0, 0), so the first real cut always stays.
    const bool inner = i >= 2 && i + 1 < cuts.size();
    if (options.drop_intermediate && inner && on_a_line(cuts[i - 1], cuts[i], cuts[i + 1]))
      continue;
    curve.fpr.push_back(static_cast<double>(cuts[i].false_positives) /
                        static_cast<double>(scores.negative_count()));
    curve.tpr.push_back(static_cast<double>(cuts[i].true_positives) /
                        static_cast<double>(scores.positive_count()));
    curve.thresholds.push_back(cuts[i].threshold);
  }
  return curve;
}

std::optional<TprAtFpr> tpr_at_fpr(const ScoresView& scores, const ScoreClusters& clusters,
                                   double fpr, double confidence) {
  if (!(fpr > 0 && fpr <= 1)) {
    throw Error({.what = fmt::format("the false positive rate {} is out of range", fpr),
                 .expected = "a number in (0, 1]"});
  }
  require_confidence(confidence);
  require_matching(clusters, scores);
  if (!scores.has_both_classes() || scores.negative_count() < negatives_for_fpr(fpr))
    return std::nullopt;
  const auto negatives = static_cast<double>(scores.negative_count());
  const Cut best = best_cut_at(scores, fpr);
  const int64_t positives = scores.positive_count();
  const std::optional<Interval> interval =
      fpr < 1 ? tpr_interval(scores, clusters, fpr, confidence) : Interval{1, 1};
  return TprAtFpr{.requested_fpr = fpr,
                  .tpr = static_cast<double>(best.true_positives) / static_cast<double>(positives),
                  .tpr_interval = interval.value(),
                  .realized_fpr = static_cast<double>(best.false_positives) / negatives,
                  .expected_fpr = fpr < 1 ? expected_fpr(scores.negative_count(), fpr) : 1,
                  .threshold = best.threshold,
                  .true_positives = best.true_positives,
                  .positives = positives,
                  .false_positives = best.false_positives,
                  .negatives = scores.negative_count()};
}

std::optional<TprAtFpr> tpr_at_fpr(const ScoresView& scores, double fpr, double confidence) {
  return tpr_at_fpr(scores, independent_items(scores.positive_count(), scores.negative_count()),
                    fpr, confidence);
}

std::optional<BestThreshold> advantage(const ScoresView& scores) {
  const auto positives = static_cast<double>(scores.positive_count());
  const auto negatives = static_cast<double>(scores.negative_count());
  return best_cut(scores, [=](const Cut& cut) {
    return static_cast<double>(cut.true_positives) / positives -
           static_cast<double>(cut.false_positives) / negatives;
  });
}

std::optional<BestThreshold> best_accuracy(const ScoresView& scores) {
  const int64_t negatives = scores.negative_count();
  const auto all = static_cast<double>(scores.positive_count() + negatives);
  return best_cut(scores, [=](const Cut& cut) {
    return static_cast<double>(cut.true_positives + negatives - cut.false_positives) / all;
  });
}

void require_valid(const DecisionCosts& costs) {
  for (double cost : {costs.false_positive, costs.false_negative}) {
    if (std::isfinite(cost) && cost >= 0) continue;
    throw Error({.what = fmt::format("the cost {} of a wrong decision is out of range", cost),
                 .expected = "a finite number that is not negative"});
  }
  if (costs.false_positive + costs.false_negative > 0) return;
  throw Error({.what = "both kinds of wrong decisions cost nothing",
               .hint = "give at least one of them a cost"});
}

std::optional<BestThreshold> least_cost(const ScoresView& scores, const DecisionCosts& costs) {
  require_valid(costs);
  const int64_t positives = scores.positive_count();
  const auto all = static_cast<double>(positives + scores.negative_count());
  auto best = best_cut(scores, [=](const Cut& cut) {
    return -(costs.false_positive * static_cast<double>(cut.false_positives) +
             costs.false_negative * static_cast<double>(positives - cut.true_positives)) /
           all;
  });
  if (best) best->value = 0 - best->value;  // 0 rather than -0
  return best;
}

}  // namespace palimpsest::stat
