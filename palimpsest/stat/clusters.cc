#include "palimpsest/stat/clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "palimpsest/base/error.h"

namespace palimpsest::stat {
namespace {

void require_cluster_numbers(std::span<const int64_t> numbers, size_t items, const char* set) {
  if (numbers.size() != items) {
    throw Error({.what = "there must be one cluster number per item",
                 .where = set,
                 .expected = std::to_string(items),
                 .found = std::to_string(numbers.size())});
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] >= 0) continue;
    throw Error({.what = "a cluster number is negative",
                 .where = fmt::format("{}, item {}", set, i),
                 .found = std::to_string(numbers[i])});
  }
}

}  // namespace

int64_t ScoreClusters::count() const {
  int64_t largest = -1;
  for (int64_t number : positives) largest = std::max(largest, number);
  for (int64_t number : negatives) largest = std::max(largest, number);
  return largest + 1;
}

ScoreClusters independent_items(int64_t positives, int64_t negatives) {
  ScoreClusters clusters{.positives = std::vector<int64_t>(static_cast<size_t>(positives)),
                         .negatives = std::vector<int64_t>(static_cast<size_t>(negatives))};
  std::iota(clusters.positives.begin(), clusters.positives.end(), 0);
  std::iota(clusters.negatives.begin(), clusters.negatives.end(), positives);
  return clusters;
}

void require_matching(const ScoreClusters& clusters, const ScoresView& scores) {
  require_cluster_numbers(clusters.positives, scores.positives.size(), "the positives");
  require_cluster_numbers(clusters.negatives, scores.negatives.size(), "the negatives");
}

std::vector<ClusterStratum> strata_of(const ScoreClusters& clusters) {
  std::vector<ClusterStratum> strata(static_cast<size_t>(clusters.count()), ClusterStratum::kNone);
  for (int64_t number : clusters.positives) {
    strata[static_cast<size_t>(number)] = ClusterStratum::kPositives;
  }
  for (int64_t number : clusters.negatives) {
    ClusterStratum& stratum = strata[static_cast<size_t>(number)];
    const bool has_positives =
        stratum == ClusterStratum::kPositives || stratum == ClusterStratum::kBoth;
    stratum = has_positives ? ClusterStratum::kBoth : ClusterStratum::kNegatives;
  }
  return strata;
}

ClusterCounts count_clusters(const ScoreClusters& clusters) {
  ClusterCounts counts;
  for (ClusterStratum stratum : strata_of(clusters)) {
    const bool both = stratum == ClusterStratum::kBoth;
    counts.positives += both || stratum == ClusterStratum::kPositives ? 1 : 0;
    counts.negatives += both || stratum == ClusterStratum::kNegatives ? 1 : 0;
    counts.both += both ? 1 : 0;
  }
  return counts;
}

}  // namespace palimpsest::stat
