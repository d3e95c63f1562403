#include "palimpsest/stat/clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "palimpsest/base/error.h"

namespace palimpsest {

int64_t ScoreClusters::count() const {
  int64_t count = 0;
  for (int64_t cluster : positives) count = std::max(count, cluster + 1);
  for (int64_t cluster : negatives) count = std::max(count, cluster + 1);
  return count;
}

ScoreClusters independent_items(int64_t positives, int64_t negatives) {
  ScoreClusters clusters;
  clusters.positives.resize(static_cast<size_t>(positives));
  clusters.negatives.resize(static_cast<size_t>(negatives));
  std::iota(clusters.positives.begin(), clusters.positives.end(), int64_t{0});
  std::iota(clusters.negatives.begin(), clusters.negatives.end(), positives);
  return clusters;
}

void require_matching(const ScoreClusters& clusters, const LabelledScores& scores) {
  if (clusters.positives.size() != scores.positives.size() ||
      clusters.negatives.size() != scores.negatives.size()) {
    throw Error("there must be one cluster number per item");
  }
  for (const auto* numbers : {&clusters.positives, &clusters.negatives}) {
    for (int64_t cluster : *numbers) {
      if (cluster < 0) throw Error(fmt::format("{} is no cluster number", cluster));
    }
  }
}

std::vector<ClusterStratum> strata_of(const ScoreClusters& clusters) {
  std::vector<ClusterStratum> strata(static_cast<size_t>(clusters.count()), ClusterStratum::kNone);
  for (int64_t cluster : clusters.positives)
    strata[static_cast<size_t>(cluster)] = ClusterStratum::kPositives;
  for (int64_t cluster : clusters.negatives) {
    ClusterStratum& stratum = strata[static_cast<size_t>(cluster)];
    const bool positive = stratum == ClusterStratum::kPositives || stratum == ClusterStratum::kBoth;
    stratum = positive ? ClusterStratum::kBoth : ClusterStratum::kNegatives;
  }
  return strata;
}

ClusterCounts count_clusters(const ScoreClusters& clusters) {
  ClusterCounts counts;
  for (ClusterStratum stratum : strata_of(clusters)) {
    const bool both = stratum == ClusterStratum::kBoth;
    counts.both += both ? 1 : 0;
    counts.positives += both || stratum == ClusterStratum::kPositives ? 1 : 0;
    counts.negatives += both || stratum == ClusterStratum::kNegatives ? 1 : 0;
  }
  return counts;
}

}  // namespace palimpsest
