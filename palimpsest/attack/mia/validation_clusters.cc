#include "palimpsest/attack/internal/mia/validation_clusters.h"

#include <array>
#include <utility>

#include "palimpsest/base/random.h"
#include "palimpsest/stat/internal/clustered_rate.h"
#include "palimpsest/stat/internal/family_permutation.h"
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

// The clusters of the forget set alone, of the holdout set alone and of both are drawn by
// themselves, so that each set is split in the proportion that was asked for.
std::vector<bool> draw_validation_clusters(const ExampleClusters& clusters, double share,
                                           uint64_t seed) {
  using enum stat::ClusterStratum;
  constexpr std::array<std::pair<stat::ClusterStratum, uint64_t>, 3> kStreams = {
      {{kPositives, 1}, {kNegatives, 0}, {kBoth, 2}}};
  const std::vector<stat::ClusterStratum> strata =
      stat::strata_of({clusters.forget, clusters.holdout});
  const Random random(seed);
  std::vector<bool> drawn(strata.size());
  for (const auto& [stratum, stream] : kStreams) {
    std::vector<size_t> members;
    for (size_t g = 0; g < strata.size(); ++g) {
      if (strata[g] == stratum) members.push_back(g);
    }
    const std::vector<bool> part =
        stat::draw_validation_part(members.size(), share, random.split(stream));
    for (size_t i = 0; i < members.size(); ++i) drawn[members[i]] = part[i];
  }
  return drawn;
}

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

MeasuredRates measure_threshold(const stat::ClusteredScores& items, double threshold,
                                double confidence) {
  const stat::Confusion counts = stat::confusion_at(items.scores, threshold);
  const stat::ClusteredFlags forget =
      called_members(items.scores.positives, items.clusters.positives, threshold);
  const stat::ClusteredFlags holdout =
      called_members(items.scores.negatives, items.clusters.negatives, threshold);
  // A rate of 0 or 1 does not say how its clusters scatter; the other set's rate may.
  return {.counts = counts,
          .tpr = *counts.true_positive_rate(),
          .fpr = *counts.false_positive_rate(),
          .tpr_interval =
              stat::clustered_rate_interval(forget, confidence, stat::share_design_effect(holdout)),
          .fpr_interval = stat::clustered_rate_interval(holdout, confidence,
                                                        stat::share_design_effect(forget))};
}

}  // namespace palimpsest::attack
