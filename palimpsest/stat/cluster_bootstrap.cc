#include "palimpsest/stat/internal/cluster_bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "palimpsest/stat/clustered_auc.h"
#include "palimpsest/stat/internal/bootstrap_replicates.h"

namespace palimpsest::stat {
namespace {

// The items in ascending order of their scores; an AUC under weights per cluster is one pass.
class WeightedAuc {
 public:
  WeightedAuc(const ScoresView& scores, const ScoreClusters& clusters) {
    for (size_t i = 0; i < scores.positives.size(); ++i)
      items_.push_back({scores.positives[i], static_cast<size_t>(clusters.positives[i]), true});
    for (size_t i = 0; i < scores.negatives.size(); ++i)
      items_.push_back({scores.negatives[i], static_cast<size_t>(clusters.negatives[i]), false});
    std::ranges::stable_sort(items_, std::ranges::less(), &Item::score);
  }

  // NaN where a class has no weight.
  double of(const std::vector<int64_t>& weights) const {
    int64_t positives = 0;
    int64_t negatives = 0;
    int64_t doubled_wins = 0;
    for (size_t i = 0; i < items_.size();) {
      int64_t tied[2] = {0, 0};
      const double score = items_[i].score;
      for (; i < items_.size() && items_[i].score == score; ++i)
        tied[items_[i].is_positive ? 1 : 0] += weights[items_[i].cluster];
      doubled_wins += tied[1] * (2 * negatives + tied[0]);
      negatives += tied[0];
      positives += tied[1];
    }
    if (positives == 0 || negatives == 0) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(doubled_wins) /
           (2.0 * static_cast<double>(positives) * static_cast<double>(negatives));
  }

 private:
  struct Item {
    double score;
    size_t cluster;
    bool is_positive;
  };
  std::vector<Item> items_;
};

using Strata = std::vector<std::vector<size_t>>;  // cluster numbers per stratum

Strata clusters_by_stratum(const ScoreClusters& clusters) {
  const std::vector<ClusterStratum> kinds = strata_of(clusters);
  Strata strata;
  for (const ClusterStratum kind :
       {ClusterStratum::kPositives, ClusterStratum::kNegatives, ClusterStratum::kBoth}) {
    std::vector<size_t> members;
    for (size_t g = 0; g < kinds.size(); ++g) {
      if (kinds[g] == kind) members.push_back(g);
    }
    if (!members.empty()) strata.push_back(std::move(members));
  }
  return strata;
}

// U_g = (G_s - 1)(A - A_(-g)), from ψ_g = √((G_s - 1)/G_s)(A_(-g) - A).
Influence influence_of(const ClusteredAuc& estimate, const Strata& strata) {
  Influence influence;
  for (const std::vector<size_t>& stratum : strata) {
    const auto count = static_cast<double>(stratum.size());
    influence.emplace_back();
    for (const size_t g : stratum)
      influence.back().push_back(-std::sqrt(count * (count - 1)) * estimate.influence[g]);
  }
  return influence;
}

}  // namespace

std::optional<BootstrapEstimate> bootstrap_clustered_auc(const ScoresView& scores,
                                                         const ScoreClusters& clusters,
                                                         const BootstrapOptions& options) {
  require_valid(options);
  require_matching(clusters, scores);
  const std::optional<ClusteredAuc> estimate = clustered_auc(scores, clusters);
  if (!estimate || estimate->variance <= 0) return std::nullopt;
  const ClusterCounts& counts = estimate->clusters;
  if (counts.both == 0 && counts.positives == scores.positive_count() &&
      counts.negatives == scores.negative_count())
    return bootstrap_auc(scores, options);
  const WeightedAuc weighted(scores, clusters);
  const Strata strata = clusters_by_stratum(clusters);
  auto make_worker = [&] {
    return [&, weights = std::vector<int64_t>()](Random& random) mutable {
      weights.assign(static_cast<size_t>(clusters.count()), 0);
      for (const std::vector<size_t>& stratum : strata) {
        for (size_t i = 0; i < stratum.size(); ++i)
          ++weights[stratum[random.below(stratum.size())]];
      }
      return weighted.of(weights);
    };
  };
  return bootstrap_interval(estimate->auc, bootstrap_replicates(options, make_worker),
                            influence_of(*estimate, strata), options);
}

}  // namespace palimpsest::stat
