#include "palimpsest/attack/mia/decision.h"

#include <array>
#include <utility>
#include <vector>

#include "palimpsest/base/random.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/internal/clustered_rate.h"
#include "palimpsest/stat/internal/validation_part.h"

namespace palimpsest::attack {
namespace {

// Per cluster number, whether it is in the validation part. The clusters of the forget set alone,
// of the holdout set alone and of both are drawn by themselves, so that each set is split in the
// proportion that was asked for.
std::vector<bool> draw_validation_clusters(const ExampleClusters& clusters,
                                           const DecisionOptions& options) {
  using enum stat::ClusterStratum;
  constexpr std::array<std::pair<stat::ClusterStratum, uint64_t>, 3> kStreams = {
      {{kPositives, 1}, {kNegatives, 0}, {kBoth, 2}}};
  const std::vector<stat::ClusterStratum> strata =
      stat::strata_of({clusters.forget, clusters.holdout});
  const Random random(options.seed);
  std::vector<bool> drawn(strata.size());
  for (const auto& [stratum, stream] : kStreams) {
    std::vector<size_t> members;
    for (size_t g = 0; g < strata.size(); ++g) {
      if (strata[g] == stratum) members.push_back(g);
    }
    const std::vector<bool> part =
        stat::draw_validation_part(members.size(), options.validation_split, random.split(stream));
    for (size_t i = 0; i < members.size(); ++i) drawn[members[i]] = part[i];
  }
  return drawn;
}

// The items whose clusters are in the validation part, or those of the rest.
stat::ClusteredScores part_of(const stat::ClusteredScores& all,
                              const std::vector<bool>& in_validation, bool validation) {
  stat::ClusteredScores part;
  auto take = [&](const std::vector<double>& scores, const std::vector<int64_t>& clusters,
                  std::vector<double>& values, std::vector<int64_t>& numbers) {
    for (size_t i = 0; i < scores.size(); ++i) {
      if (in_validation[static_cast<size_t>(clusters[i])] != validation) continue;
      values.push_back(scores[i]);
      numbers.push_back(clusters[i]);
    }
  };
  take(all.scores.positives, all.clusters.positives, part.scores.positives,
       part.clusters.positives);
  take(all.scores.negatives, all.clusters.negatives, part.scores.negatives,
       part.clusters.negatives);
  return part;
}

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
  const std::vector<bool> in_validation = draw_validation_clusters(clusters, options);
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
