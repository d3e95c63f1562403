#include "palimpsest/attack/mia/decision.h"

#include <vector>

#include "palimpsest/attack/internal/mia/validation_clusters.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/internal/clustered_rate.h"
#include "palimpsest/stat/internal/validation_part.h"

namespace palimpsest::attack {
namespace {

// Whether each item is called a member.
stat::ClusteredFlags called_members(const std::vector<double>& scores,
                                    const std::vector<int64_t>& clusters, double threshold) {
  stat::ClusteredFlags called{.flags = {}, .clusters = clusters};
  for (double score : scores) called.flags.push_back(score >= threshold);
  return called;
}

}  // namespace

void require_valid(const DecisionOptions& options) {
  stat::require_valid(options.costs);
  stat::require_validation_share(options.validation_split);
  stat::require_confidence(options.confidence);
}

std::optional<Decision> decide(const ScoreColumns& scores, const ExampleClusters& clusters,
                               const DecisionOptions& options) {
  require_valid(options);
  const std::vector<bool> in_validation =
      draw_validation_clusters(clusters, options.validation_split, options.seed);
  const stat::ClusteredScores all = to_clustered(scores, clusters);
  const stat::LabelledScores validation = part_of(all, in_validation, true).scores;
  const stat::ClusteredScores rest = part_of(all, in_validation, false);
  const auto best = stat::least_cost(validation, options.costs);
  if (!best || !rest.scores.has_both_classes()) return std::nullopt;
  const stat::Confusion counts = stat::confusion_at(rest.scores, best->threshold);
  const int64_t examples = counts.positives() + counts.negatives();
  const stat::ClusteredFlags forget =
      called_members(rest.scores.positives, rest.clusters.positives, best->threshold);
  const stat::ClusteredFlags holdout =
      called_members(rest.scores.negatives, rest.clusters.negatives, best->threshold);
  return Decision{
      .validation_auc = *stat::auc(validation),
      .validation_cost = best->value,
      .score_at_most = flip_orientation(best->threshold),
      .counts = counts,
      .tpr = *counts.true_positive_rate(),
      .fpr = *counts.false_positive_rate(),
      // A rate of 0 or 1 does not say how its clusters scatter; the other set's rate may.
      .tpr_interval = stat::clustered_rate_interval(forget, options.confidence,
                                                    stat::share_design_effect(holdout)),
      .fpr_interval = stat::clustered_rate_interval(holdout, options.confidence,
                                                    stat::share_design_effect(forget)),
      .cost = (options.costs.false_positive * static_cast<double>(counts.false_positives) +
               options.costs.false_negative * static_cast<double>(counts.false_negatives)) /
              static_cast<double>(examples)};
}

}  // namespace palimpsest::attack
