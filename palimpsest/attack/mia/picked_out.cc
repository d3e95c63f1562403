#include "palimpsest/attack/mia/picked_out.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "palimpsest/attack/internal/mia/validation_clusters.h"
#include "palimpsest/base/error.h"
#include "palimpsest/stat/confusion.h"
#include "palimpsest/stat/internal/clustered_rate.h"
#include "palimpsest/stat/internal/validation_part.h"
#include "palimpsest/stat/jackknife.h"
#include "palimpsest/stat/roc.h"

namespace palimpsest::attack {
namespace {

// Scores of one model, high for the records that are picked, and the threshold chosen for them.
struct Observation {
  stat::ClusteredScores rest;
  double threshold = 0;
  double validation_excess = 0;
};

// Owns reversed columns where they are wanted.
struct OrientedColumns {
  OrientedColumns(const ScoreColumns& columns, bool reversed) : view(columns) {
    if (!reversed) return;
    forget = flipped(columns.forget);
    holdout = flipped(columns.holdout);
    view = {forget, holdout};
  }
  OrientedColumns(const OrientedColumns&) = delete;
  OrientedColumns& operator=(const OrientedColumns&) = delete;

  ScoreColumn forget;
  ScoreColumn holdout;
  ScoreColumns view;
};

std::optional<Observation> observe(const stat::ClusteredScores& all,
                                   const std::vector<bool>& in_validation) {
  const stat::LabelledScores validation = part_of(all, in_validation, true).scores;
  stat::ClusteredScores rest = part_of(all, in_validation, false);
  if (!validation.has_both_classes() || !rest.scores.has_both_classes()) return std::nullopt;
  // With these costs the cheapest threshold is the one with the largest TPR - FPR, whatever the sizes
  // of the sets. For sets of one size it is the threshold of decision.h.
  const auto forget = static_cast<double>(validation.positives.size());
  const auto holdout = static_cast<double>(validation.negatives.size());
  const auto best =
      stat::least_cost(validation, {.false_positive = forget, .false_negative = holdout});
  if (!best) return std::nullopt;
  const double excess = 1 - best->value * (forget + holdout) / (forget * holdout);
  return Observation{std::move(rest), best->threshold, excess};
}

struct Observations {
  const FamilyMember* member = nullptr;
  Observation model;
  std::optional<Observation> baseline = {};

  double validation_excess() const {
    return model.validation_excess - (baseline ? baseline->validation_excess : 0);
  }
};

std::optional<Observations> observe(const FamilyMember& member, const ExampleClusters& clusters,
                                    const std::vector<bool>& in_validation,
                                    const PickOptions& options) {
  const OrientedColumns scores(member.scores, options.reversed);
  if (!options.against_baseline) {
    auto model = observe(to_clustered(scores.view, clusters), in_validation);
    if (!model) return std::nullopt;
    return Observations{&member, std::move(*model)};
  }
  PALIMPSEST_CHECK(member.baseline.has_value());
  const OrientedColumns others(*member.baseline, options.reversed);
  auto model = observe(to_clustered(scores.view, clusters, &others.view), in_validation);
  auto baseline = observe(to_clustered(others.view, clusters, &scores.view), in_validation);
  if (!model || !baseline) return std::nullopt;
  return Observations{&member, std::move(*model), std::move(*baseline)};
}

stat::ClusteredFlags picked(const std::vector<double>& scores, const std::vector<int64_t>& clusters,
                            double threshold) {
  stat::ClusteredFlags items{.flags = {}, .clusters = clusters};
  for (const double score : scores) items.flags.push_back(score >= threshold);
  return items;
}

// Newcombe's interval of a difference of two rates.
stat::Interval square_and_add(double tpr, const stat::Interval& of_tpr, double fpr,
                              const stat::Interval& of_fpr) {
  const double excess = tpr - fpr;
  return {excess - std::hypot(tpr - of_tpr.low, of_fpr.high - fpr),
          excess + std::hypot(of_tpr.high - tpr, fpr - of_fpr.low)};
}

stat::Interval excess_interval(const Observation& seen, double tpr, double fpr, double confidence) {
  const stat::ClusteredFlags forget =
      picked(seen.rest.scores.positives, seen.rest.clusters.positives, seen.threshold);
  const stat::ClusteredFlags holdout =
      picked(seen.rest.scores.negatives, seen.rest.clusters.negatives, seen.threshold);
  // A rate of 0 or 1 does not say how its clusters scatter; the other set's rate may.
  return square_and_add(
      tpr, stat::clustered_rate_interval(forget, confidence, stat::share_design_effect(holdout)),
      fpr, stat::clustered_rate_interval(holdout, confidence, stat::share_design_effect(forget)));
}

// The share of items that the model's observer picks minus that of the baseline's, as sums.
struct PickedDifference {
  double items = 0;
  double picked = 0;  // by the first observer, less those of the second

  double rate() const { return items > 0 ? picked / items : 0; }
  double rate_without(const PickedDifference& part) const {
    return (picked - part.picked) / (items - part.items);
  }
};

struct ClusterDifference {
  PickedDifference forget;
  PickedDifference holdout;
};

// The jackknife over clusters of the difference of both excesses. The two models have the same items
// in the same order.
std::optional<stat::Interval> difference_interval(const Observation& model,
                                                  const Observation& baseline, double confidence) {
  const stat::ScoreClusters& clusters = model.rest.clusters;
  std::vector<ClusterDifference> parts(static_cast<size_t>(clusters.count()));
  ClusterDifference all;
  const auto add = [](bool a, bool b, PickedDifference& part, PickedDifference& sum) {
    const double difference = (a ? 1 : 0) - (b ? 1 : 0);
    part.items += 1;
    sum.items += 1;
    part.picked += difference;
    sum.picked += difference;
  };
  for (size_t i = 0; i < clusters.positives.size(); ++i) {
    add(model.rest.scores.positives[i] >= model.threshold,
        baseline.rest.scores.positives[i] >= baseline.threshold,
        parts[static_cast<size_t>(clusters.positives[i])].forget, all.forget);
  }
  for (size_t i = 0; i < clusters.negatives.size(); ++i) {
    add(model.rest.scores.negatives[i] >= model.threshold,
        baseline.rest.scores.negatives[i] >= baseline.threshold,
        parts[static_cast<size_t>(clusters.negatives[i])].holdout, all.holdout);
  }
  const std::vector<stat::ClusterStratum> kinds = stat::strata_of(clusters);
  std::vector<std::vector<double>> strata;
  for (const stat::ClusterStratum kind :
       {stat::ClusterStratum::kPositives, stat::ClusterStratum::kNegatives,
        stat::ClusterStratum::kBoth}) {
    std::vector<double> without;
    for (size_t g = 0; g < kinds.size(); ++g) {
      if (kinds[g] != kind) continue;
      without.push_back(all.forget.rate_without(parts[g].forget) -
                        all.holdout.rate_without(parts[g].holdout));
    }
    if (!without.empty()) strata.push_back(std::move(without));
  }
  const auto estimate = stat::jackknife(all.forget.rate() - all.holdout.rate(), strata);
  if (!estimate) return std::nullopt;
  return stat::jackknife_interval(*estimate, confidence);
}

PickedOut measure(const Observations& seen, const PickOptions& options) {
  const stat::Confusion counts = stat::confusion_at(seen.model.rest.scores, seen.model.threshold);
  PickedOut result{
      .attack = seen.member->attack,
      .reversed = options.reversed,
      .threshold = options.reversed ? seen.model.threshold : flip_orientation(seen.model.threshold),
      .tpr = *counts.true_positive_rate(),
      .fpr = *counts.false_positive_rate(),
      .confidence = options.confidence,
      .forget = counts.positives(),
      .holdout = counts.negatives()};
  result.excess = result.tpr - result.fpr;
  if (!seen.baseline) {
    result.interval = excess_interval(seen.model, result.tpr, result.fpr, options.confidence);
  } else {
    const stat::Confusion other =
        stat::confusion_at(seen.baseline->rest.scores, seen.baseline->threshold);
    result.baseline_excess = *other.true_positive_rate() - *other.false_positive_rate();
    result.excess -= *result.baseline_excess;
    result.interval = difference_interval(seen.model, *seen.baseline, options.confidence);
  }
  if (result.interval) {
    const double most = seen.baseline ? 2 : 1;
    result.interval->low = std::max(-most, result.interval->low);
    result.interval->high = std::min(most, result.interval->high);
  }
  return result;
}

}  // namespace

std::optional<PickedOut> pick_out(std::span<const FamilyMember> members,
                                  const ExampleClusters& clusters, const PickOptions& options) {
  stat::require_validation_share(options.validation_split);
  stat::require_confidence(options.confidence);
  const std::vector<bool> in_validation =
      draw_validation_clusters(clusters, options.validation_split, options.seed);
  std::optional<Observations> best;
  for (const FamilyMember& member : members) {
    if (!member.in_family) continue;
    auto seen = observe(member, clusters, in_validation, options);
    if (seen && (!best || seen->validation_excess() > best->validation_excess()))
      best = std::move(seen);
  }
  if (!best) return std::nullopt;
  return measure(*best, options);
}

}  // namespace palimpsest::attack
