#include "palimpsest/attack/internal/mia/decision.h"

#include <vector>

#include "palimpsest/attack/internal/mia/form_clusters.h"
#include "palimpsest/attack/internal/mia/validation_clusters.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/internal/validation_part.h"

namespace palimpsest::attack {

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
  const MeasuredRates rates = measure_threshold(rest, best->threshold, options.confidence);
  const stat::Confusion& counts = rates.counts;
  const int64_t examples = counts.positives() + counts.negatives();
  return Decision{
      .validation_auc = *stat::auc(validation),
      .validation_cost = best->value,
      .score_at_most = flip_orientation(best->threshold),
      .counts = counts,
      .tpr = rates.tpr,
      .fpr = rates.fpr,
      .tpr_interval = rates.tpr_interval,
      .fpr_interval = rates.fpr_interval,
      .cost = (options.costs.false_positive * static_cast<double>(counts.false_positives) +
               options.costs.false_negative * static_cast<double>(counts.false_negatives)) /
              static_cast<double>(examples)};
}

}  // namespace palimpsest::attack
