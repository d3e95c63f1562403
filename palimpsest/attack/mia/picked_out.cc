#include "palimpsest/attack/internal/mia/picked_out.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "palimpsest/attack/internal/mia/form_clusters.h"
#include "palimpsest/attack/internal/mia/validation_clusters.h"
#include "palimpsest/base/error.h"
#include "palimpsest/stat/internal/validation_part.h"
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
  // With these costs the cheapest threshold is the one with the largest TPR - FPR, whatever the
  // sizes of the sets. For sets of one size it is the threshold of decision.h.
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

// The interval of a - b from the intervals of both, which correlate by so much.
stat::Interval square_and_add(double a, const stat::Interval& of_a, double b,
                              const stat::Interval& of_b, double correlation = 0) {
  const auto reach = [&](double x, double y) {
    return std::sqrt(std::max(0.0, x * x + y * y - 2 * correlation * x * y));
  };
  return {a - b - reach(a - of_a.low, of_b.high - b), a - b + reach(of_a.high - a, b - of_b.low)};
}

stat::Interval excess_interval(const MeasuredRates& rates) {
  return square_and_add(rates.tpr, rates.tpr_interval, rates.fpr, rates.fpr_interval);
}

// The numbers of items, and of those that are picked.
struct PickCount {
  double items = 0;
  double picked = 0;

  // The change of the rate if a part is left out; 0 if nothing else is left.
  double change_without(const PickCount& part) const {
    if (part.items <= 0 || part.items >= items) return 0;
    return (picked - part.picked) / (items - part.items) - picked / items;
  }
};

struct ClusterCount {
  PickCount forget;
  PickCount holdout;
};

// How the excess changes if a cluster is left out, by cluster number.
std::vector<double> influences_of(const Observation& seen) {
  const stat::ScoreClusters& clusters = seen.rest.clusters;
  std::vector<ClusterCount> parts(static_cast<size_t>(clusters.count()));
  ClusterCount all;
  const auto add = [](bool is_picked, PickCount& part, PickCount& sum) {
    for (PickCount* count : {&part, &sum}) {
      count->items += 1;
      count->picked += is_picked ? 1 : 0;
    }
  };
  for (size_t i = 0; i < clusters.positives.size(); ++i)
    add(seen.rest.scores.positives[i] >= seen.threshold,
        parts[static_cast<size_t>(clusters.positives[i])].forget, all.forget);
  for (size_t i = 0; i < clusters.negatives.size(); ++i)
    add(seen.rest.scores.negatives[i] >= seen.threshold,
        parts[static_cast<size_t>(clusters.negatives[i])].holdout, all.holdout);
  std::vector<double> influences;
  for (const ClusterCount& part : parts)
    influences.push_back(all.forget.change_without(part.forget) -
                         all.holdout.change_without(part.holdout));
  return influences;
}

// How much the excesses of two models go together, by the jackknife over clusters; 0 if one of them
// does not vary. Both have the same items in the same order.
double correlation_of(const Observation& a, const Observation& b) {
  const std::vector<double> of_a = influences_of(a);
  const std::vector<double> of_b = influences_of(b);
  double both = 0;
  double squares_a = 0;
  double squares_b = 0;
  for (size_t g = 0; g < of_a.size(); ++g) {
    both += of_a[g] * of_b[g];
    squares_a += of_a[g] * of_a[g];
    squares_b += of_b[g] * of_b[g];
  }
  if (squares_a <= 0 || squares_b <= 0) return 0;
  return std::clamp(both / std::sqrt(squares_a * squares_b), -1.0, 1.0);
}

PickedOut measure(const Observations& seen, const PickOptions& options) {
  const MeasuredRates model =
      measure_threshold(seen.model.rest, seen.model.threshold, options.confidence);
  PickedOut result{
      .attack = seen.member->attack,
      .reversed = options.reversed,
      .threshold = options.reversed ? seen.model.threshold : flip_orientation(seen.model.threshold),
      .tpr = model.tpr,
      .fpr = model.fpr,
      .excess = model.excess(),
      .interval = excess_interval(model),
      .confidence = options.confidence,
      .forget = model.counts.positives(),
      .holdout = model.counts.negatives()};
  if (!seen.baseline) return result;
  const MeasuredRates baseline =
      measure_threshold(seen.baseline->rest, seen.baseline->threshold, options.confidence);
  result.baseline_excess = baseline.excess();
  result.interval =
      square_and_add(model.excess(), excess_interval(model), baseline.excess(),
                     excess_interval(baseline), correlation_of(seen.model, *seen.baseline));
  result.excess -= *result.baseline_excess;
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
