#include "palimpsest/eval/internal/forget_quality.h"

#include <limits>
#include <unordered_map>

#include "palimpsest/eval/internal/reference_value.h"
#include "palimpsest/stat/kolmogorov_smirnov.h"

namespace palimpsest::eval {

std::vector<double> scores_of(const MetricResult& result, const std::string& metric) {
  std::vector<double> scores;
  for (const Number& score : column(result, "score", metric)) {
    if (score) scores.push_back(*score);
  }
  return scores;
}

std::optional<ForgetQuality> forget_quality(const MetricGraph& graph, size_t node,
                                            const EvalLog& log, const MetricIntervals& intervals) {
  const MetricNode& metric = graph.nodes[node];
  const MetricResult* retain = retained(metric.setting);
  const DatasetPlan* spec = graph.data_of(node);
  if (retain == nullptr || spec == nullptr) return std::nullopt;
  const MetricNode& forget = graph.nodes[metric.pre_compute.front().second];
  const auto found = log.find(forget.setting.name);
  if (found == log.end()) return std::nullopt;
  const MetricResult& ours = found->second;

  std::unordered_map<std::string, Number> theirs;
  const std::vector<Number> values = column(*retain, "score", metric.setting.name);
  for (size_t i = 0; i < values.size(); ++i) {
    theirs.emplace(retain->value_by_index[i].index, values[i]);
  }
  std::vector<Number> differences = column(ours, "score", forget.setting.name);
  for (size_t i = 0; i < differences.size(); ++i) {
    const auto other = theirs.find(ours.value_by_index[i].index);
    const bool both = differences[i] && other != theirs.end() && other->second;
    differences[i] = both ? Number(*differences[i] - *other->second) : std::nullopt;
  }
  const auto test = stat::ks_two_sample(scores_of(ours, forget.setting.name),
                                        scores_of(*retain, metric.setting.name));
  const Number mean = mean_of(differences);
  if (!test || !mean) return std::nullopt;
  ForgetQuality quality{.ks_distance = test->statistic, .mean_difference = *mean};
  const auto clustered = intervals.clustered(*spec, indices_of(ours), differences);
  if (!clustered) return quality;
  quality.examples = static_cast<int64_t>(clustered->size());
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  if (const auto replicates = mean_replicates(*clustered)) {
    quality.interval = interval_of(*replicates, {-kUnbounded, kUnbounded});
  }
  return quality;
}

}  // namespace palimpsest::eval
