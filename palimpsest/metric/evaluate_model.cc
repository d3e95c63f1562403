#include "palimpsest/metric/evaluate_model.h"

namespace palimpsest::metric {

stat::NamedStats zero_stats(const NamedMetrics& metrics) {
  stat::NamedStats stats;
  for (const auto& [name, metric] : metrics) stats.emplace_back(name, metric->zero());
  return stats;
}

void add_batch(const NamedMetrics& metrics, const EvaluationBatch& batch,
               const Prediction& prediction, stat::NamedStats& stats) {
  PALIMPSEST_CHECK(stats.size() == metrics.size());
  stat::NamedStats sums;
  for (size_t i = 0; i < metrics.size(); ++i) {
    const auto& [name, metric] = metrics[i];
    try {
      sums.emplace_back(name, stats[i].second.merge(
                                  evaluate_batch(*metric, batch.examples, prediction, batch.mask)));
    } catch (const Error& error) {
      throw error.located(name);
    }
  }
  stats = std::move(sums);
}

}  // namespace palimpsest::metric
