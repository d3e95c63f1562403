#include "palimpsest/eval/internal/replicates.h"

#include <cmath>
#include <unordered_map>

namespace palimpsest::eval {
namespace {

// Clusters numbered from 0, as stat/clusters.h wants them, with their own numbers and files.
struct DenseClusters {
  int64_t add(const ClusteredValue& value) {
    const auto [index, fresh] =
        index_of.try_emplace(value.cluster, static_cast<int64_t>(numbers.size()));
    if (fresh) {
      numbers.push_back(value.cluster);
      files.push_back(0);
    }
    files[static_cast<size_t>(index->second)] |= value.file;
    return index->second;
  }
  size_t size() const { return numbers.size(); }

  std::unordered_map<int64_t, int64_t> index_of;
  std::vector<int64_t> numbers;
  std::vector<uint64_t> files;
};

struct AucOfClusters {
  AucOfClusters(std::span<const ClusteredValue> positives,
                std::span<const ClusteredValue> negatives) {
    stat::LabelledScores scores;
    for (const ClusteredValue& value : positives) {
      scores.positives.push_back(value.value);
      clusters.positives.push_back(dense.add(value));
    }
    for (const ClusteredValue& value : negatives) {
      scores.negatives.push_back(value.value);
      clusters.negatives.push_back(dense.add(value));
    }
    if (scores.has_both_classes()) estimate = stat::clustered_auc(scores, clusters);
  }

  DenseClusters dense;
  stat::ScoreClusters clusters;
  std::optional<stat::ClusteredAuc> estimate;
};

// √((G - 1)/G), by which ψ_g differs from A_(-g) - A; 1 for a single cluster.
double jackknife_factor(int64_t clusters) {
  if (clusters < 2) return 1;
  const auto count = static_cast<double>(clusters);
  return std::sqrt((count - 1) / count);
}

}  // namespace

std::optional<Replicates> mean_replicates(std::span<const ClusteredValue> values) {
  DenseClusters clusters;
  std::vector<double> sums;
  std::vector<int64_t> counts;
  for (const ClusteredValue& value : values) {
    const auto index = static_cast<size_t>(clusters.add(value));
    sums.resize(clusters.size());
    counts.resize(clusters.size());
    sums[index] += value.value;
    ++counts[index];
  }
  if (clusters.size() < 2) return std::nullopt;
  // Sums over the clusters before and after each: a difference from the whole would lose digits.
  const size_t n = clusters.size();
  std::vector<double> after(n + 1);
  for (size_t g = n; g > 0; --g) after[g - 1] = after[g] + sums[g - 1];
  const auto total = static_cast<double>(values.size());
  Replicates result{.value = after[0] / total, .without = {}};
  double before = 0;
  for (size_t g = 0; g < n; ++g) {
    const double rest = (before + after[g + 1]) / (total - static_cast<double>(counts[g]));
    result.without[clusters.numbers[g]] = {.value = rest, .files = clusters.files[g]};
    before += sums[g];
  }
  return result;
}

std::optional<Replicates> auc_replicates(std::span<const ClusteredValue> positives,
                                         std::span<const ClusteredValue> negatives) {
  const AucOfClusters auc(positives, negatives);
  const std::optional<stat::ClusteredAuc>& estimate = auc.estimate;
  if (!estimate || estimate->variance <= 0) return std::nullopt;
  const stat::ClusterCounts& counts = estimate->clusters;
  const std::vector<stat::ClusterStratum> strata = stat::strata_of(auc.clusters);
  const DenseClusters& dense = auc.dense;
  Replicates result{.value = estimate->auc, .without = {}};
  for (size_t g = 0; g < dense.size(); ++g) {
    int64_t stratum = counts.both;
    if (strata[g] == stat::ClusterStratum::kPositives) stratum = counts.positives - counts.both;
    if (strata[g] == stat::ClusterStratum::kNegatives) stratum = counts.negatives - counts.both;
    const double moved = estimate->influence[g] / jackknife_factor(stratum);
    result.without[dense.numbers[g]] = {.value = estimate->auc + moved, .files = dense.files[g]};
  }
  return result;
}

std::optional<stat::Interval> clustered_auc_interval(std::span<const ClusteredValue> positives,
                                                     std::span<const ClusteredValue> negatives) {
  const AucOfClusters auc(positives, negatives);
  if (!auc.estimate) return std::nullopt;
  return stat::auc_interval(*auc.estimate);
}

Replicates combined(std::span<const Replicates> parts,
                    const std::function<double(std::span<const double>)>& formula) {
  std::vector<double> values;
  std::map<int64_t, uint64_t> files;
  for (const Replicates& part : parts) {
    values.push_back(part.value);
    for (const auto& [cluster, without] : part.without) files[cluster] |= without.files;
  }
  Replicates result{.value = formula(values), .without = {}};
  std::vector<double> changed(values.size());
  for (const auto& [cluster, where] : files) {
    for (size_t i = 0; i < parts.size(); ++i) {
      const auto found = parts[i].without.find(cluster);
      changed[i] = found == parts[i].without.end() ? values[i] : found->second.value;
    }
    result.without[cluster] = {.value = formula(changed), .files = where};
  }
  return result;
}

std::optional<stat::JackknifeEstimate> jackknife_of(const Replicates& replicates) {
  std::map<uint64_t, std::vector<double>> strata;
  for (const auto& [cluster, without] : replicates.without) {
    strata[without.files].push_back(without.value);
  }
  std::vector<std::vector<double>> parts;
  for (auto& [files, values] : strata) parts.push_back(std::move(values));
  return stat::jackknife(replicates.value, parts);
}

std::optional<stat::Interval> interval_of(const Replicates& replicates,
                                          const stat::Interval& range) {
  const std::optional<stat::JackknifeEstimate> estimate = jackknife_of(replicates);
  if (!estimate) return std::nullopt;
  return stat::cut_at(stat::jackknife_interval(*estimate), range);
}

}  // namespace palimpsest::eval
