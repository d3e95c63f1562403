#include "palimpsest/report/run_intervals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "palimpsest/report/internal/run_clusters.h"
#include "palimpsest/stat/clustered_auc.h"
#include "palimpsest/stat/clustered_mean.h"
#include "palimpsest/stat/harmonic_mean.h"
#include "palimpsest/stat/jackknife.h"

namespace palimpsest {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();

Interval range_of_mean(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return {least >= 0 ? 0 : -kNoBound, least >= 0 && most <= 1 ? 1 : kNoBound};
}

Interval cut_at(const Interval& interval, const Interval& range) {
  return {std::max(interval.low, range.low), std::min(interval.high, range.high)};
}

std::optional<ClusteredAuc> auc_of(const RunMetric& metric) {
  std::map<std::string, int64_t> numbers;
  // A higher score means holdout.
  ScoreClusters clusters;
  clusters.positives = cluster_numbers(metric.holdout, metric.holdout_clusters, "holdout", numbers);
  clusters.negatives = cluster_numbers(metric.forget, metric.forget_clusters, "forget", numbers);
  return clustered_auc({values_of(metric.holdout), values_of(metric.forget)}, clusters);
}

// A mean that a composite is made of, and what it becomes without each of its clusters.
struct CompositePart {
  std::string data;
  double mean = 0;
  std::map<std::string, double> without;  // by cluster
};

std::optional<CompositePart> composite_part(const RunMetric& metric) {
  if (metric.by_index.empty() || !metric.value) return std::nullopt;
  CompositePart part{.data = data_of_metric(metric.name), .mean = *metric.value, .without = {}};
  std::map<std::string, int64_t> numbers;
  const std::vector<int64_t> clusters =
      cluster_numbers(metric.by_index, metric.clusters, part.data, numbers);
  const std::vector<double> means =
      means_without_each_cluster(values_of(metric.by_index), clusters);
  if (means.size() != numbers.size()) return std::nullopt;  // one cluster holds everything
  for (const auto& [name, number] : numbers)
    part.without[name] = means[static_cast<size_t>(number)];
  return part;
}

constexpr std::array<std::string_view, 9> kModelUtility = {
    "retain_Q_A_Prob",        "retain_Q_A_ROUGE", "retain_Truth_Ratio",
    "ra_Q_A_Prob_normalised", "ra_Q_A_ROUGE",     "ra_Truth_Ratio",
    "wf_Q_A_Prob_normalised", "wf_Q_A_ROUGE",     "wf_Truth_Ratio"};

// nullopt where a part is 0 or negative: then there is no harmonic mean to speak of.
std::optional<double> harmonic_mean_of(const std::vector<CompositePart>& parts,
                                       const std::string& data = "",
                                       const std::string& left_out = "") {
  std::vector<double> values;
  for (const CompositePart& part : parts) {
    const auto found = part.without.find(left_out);
    const bool changes = part.data == data && found != part.without.end();
    values.push_back(changes ? found->second : part.mean);
    if (!(values.back() > 0)) return std::nullopt;
  }
  return harmonic_mean(values);
}

// The clusters of each data set.
std::map<std::string, std::vector<std::string>> clusters_by_data(
    const std::vector<CompositePart>& parts) {
  std::map<std::string, std::vector<std::string>> clusters;
  for (const CompositePart& part : parts) {
    std::vector<std::string>& names = clusters[part.data];
    for (const auto& [name, mean] : part.without) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return clusters;
}

const RunMetric* metric_named(const std::vector<RunMetric>& metrics, std::string_view name) {
  const auto found = std::ranges::find(metrics, name, &RunMetric::name);
  return found == metrics.end() ? nullptr : &*found;
}

std::optional<Interval> model_utility_interval(double value, const std::vector<RunMetric>& others,
                                               double confidence) {
  std::vector<CompositePart> parts;
  for (std::string_view name : kModelUtility) {
    const RunMetric* metric = metric_named(others, name);
    const auto part = metric != nullptr ? composite_part(*metric) : std::nullopt;
    if (!part) return std::nullopt;
    parts.push_back(*part);
  }
  const std::optional<double> whole = harmonic_mean_of(parts);
  // Another list of parts than TOFU's.
  if (!whole || std::abs(*whole - value) > 1e-6) return std::nullopt;
  std::vector<std::vector<double>> strata;
  for (const auto& [data, names] : clusters_by_data(parts)) {
    strata.emplace_back();
    for (const std::string& name : names) {
      const std::optional<double> without = harmonic_mean_of(parts, data, name);
      if (!without) return std::nullopt;
      strata.back().push_back(*without);
    }
  }
  const std::optional<JackknifeEstimate> estimate = jackknife(value, strata);
  if (!estimate) return std::nullopt;
  return cut_at(jackknife_interval(*estimate, confidence), {0, 1});
}

std::optional<Interval> privleak_interval(double value, const RunMetric& attack,
                                          double confidence) {
  const std::optional<ClusteredAuc> auc = auc_of(attack);
  if (!auc || !(auc->variance > 0)) return std::nullopt;
  const double share = value / 100;
  const double reference = (share + auc->auc) / (1 + share);
  // -100 says that the AUC is 1 and nothing about the reference.
  if (!(share > -1 + 1e-9) || !(reference >= 0 && reference < 1)) return std::nullopt;
  const double slope = 100 / (1 - reference);
  return cut_at(jackknife_interval({.estimate = value,
                                    .variance = slope * slope * auc->variance,
                                    .degrees_of_freedom = auc->degrees_of_freedom},
                                   confidence),
                {-100, kNoBound});
}

}  // namespace

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

std::optional<Interval> metric_interval(const RunMetric& metric, double confidence) {
  if (metric.is_auc()) {
    const std::optional<ClusteredAuc> auc = auc_of(metric);
    return auc ? std::optional(auc_interval(*auc, confidence)) : std::nullopt;
  }
  if (metric.by_index.empty()) return std::nullopt;
  const std::vector<double> values = values_of(metric.by_index);
  std::map<std::string, int64_t> numbers;
  const auto estimate =
      clustered_mean(values, cluster_numbers(metric.by_index, metric.clusters, "", numbers));
  if (!estimate) return std::nullopt;
  return cut_at(mean_interval(*estimate, confidence), range_of_mean(values));
}

std::optional<Interval> composite_interval(const RunMetric& metric,
                                           const std::vector<RunMetric>& others,
                                           double confidence) {
  if (!metric.value || !metric.by_index.empty() || metric.is_auc()) return std::nullopt;
  if (metric.name == "model_utility")
    return model_utility_interval(*metric.value, others, confidence);
  if (metric.name != "privleak") return std::nullopt;
  const RunMetric* attack = metric_named(others, "mia_min_k");
  if (attack == nullptr || !attack->is_auc()) return std::nullopt;
  return privleak_interval(*metric.value, *attack, confidence);
}

}  // namespace palimpsest
