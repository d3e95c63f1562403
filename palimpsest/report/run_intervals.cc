#include "palimpsest/report/internal/run_intervals.h"

#include <algorithm>

#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/stat/clustered_auc.h"
#include "palimpsest/stat/clustered_mean.h"
#include "palimpsest/stat/jackknife.h"

namespace palimpsest::report {

stat::Interval spread_interval(double value, const eval::Spread& spread, double confidence) {
  return stat::cut_at(stat::jackknife_interval({.estimate = value,
                                                .variance = spread.variance,
                                                .degrees_of_freedom = spread.degrees_of_freedom},
                                               confidence),
                      spread.range);
}

ValueByExample flipped_by_key(const attack::SetScores& set) {
  ValueByExample scores = scores_by_key(set);
  for (auto& [key, score] : scores) score = attack::flip_orientation(score);
  return scores;
}

std::optional<stat::ClusteredAuc> clustered_auc_of(const RunMetric& metric) {
  if (!metric.scored) return std::nullopt;
  const ValueByExample forget = flipped_by_key(metric.scored->forget);
  const ValueByExample holdout = flipped_by_key(metric.scored->holdout);
  std::map<std::string, int64_t> numbers;
  stat::ScoreClusters clusters;
  clusters.negatives = cluster_numbers(holdout, metric.holdout_clusters, "holdout", numbers);
  clusters.positives = cluster_numbers(forget, metric.forget_clusters, "forget", numbers);
  return stat::clustered_auc({values_of(forget), values_of(holdout)}, clusters);
}

std::vector<int64_t> cluster_numbers(const ValueByExample& values, const ClusterByExample& clusters,
                                     const std::string& data,
                                     std::map<std::string, int64_t>& numbers) {
  std::vector<int64_t> result;
  for (const auto& [key, value] : values) {
    const auto found = clusters.find(key);
    // A cluster of its own is named as no file names one.
    const std::string name =
        found != clusters.end() ? found->second : "\n" + data + "\n" + key.substr(0, key.find('/'));
    result.push_back(numbers.emplace(name, static_cast<int64_t>(numbers.size())).first->second);
  }
  return result;
}

std::optional<stat::Interval> metric_interval(const RunMetric& metric, double confidence) {
  if (metric.is_auc()) {
    const std::optional<stat::ClusteredAuc> auc = clustered_auc_of(metric);
    return auc ? std::optional(stat::auc_interval(*auc, confidence)) : std::nullopt;
  }
  if (metric.by_index.empty()) return std::nullopt;
  const std::vector<double> values = values_of(metric.by_index);
  std::map<std::string, int64_t> numbers;
  const auto estimate =
      stat::clustered_mean(values, cluster_numbers(metric.by_index, metric.clusters, "", numbers));
  if (!estimate) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(values);
  return stat::cut_at(stat::mean_interval(*estimate, confidence), stat::range_of_mean(least, most));
}

}  // namespace palimpsest::report
