#include "palimpsest/stat/clustered_mean.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/jackknife.h"

namespace palimpsest::stat {
namespace {

struct PartialSum {
  double sum = 0;
  int64_t count = 0;
};

std::map<int64_t, PartialSum> sums_by_cluster(std::span<const double> values,
                                              std::span<const int64_t> clusters) {
  if (values.size() != clusters.size()) {
    throw Error(fmt::format("{} values have {} cluster numbers: there must be one per value",
                            values.size(), clusters.size()));
  }
  std::map<int64_t, PartialSum> sums;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]))
      throw Error(fmt::format("the value {} of a mean is not a finite number", i));
    PartialSum& part = sums[clusters[i]];
    part.sum += values[i];
    ++part.count;
  }
  return sums;
}

}  // namespace

std::vector<double> means_without_each_cluster(std::span<const double> values,
                                               std::span<const int64_t> clusters) {
  const std::map<int64_t, PartialSum> sums = sums_by_cluster(values, clusters);
  double sum = 0;
  for (const auto& [cluster, part] : sums) sum += part.sum;
  const auto count = static_cast<int64_t>(values.size());
  std::vector<double> means;
  for (const auto& [cluster, part] : sums) {
    if (part.count == count) continue;
    means.push_back((sum - part.sum) / static_cast<double>(count - part.count));
  }
  return means;
}

std::optional<ClusteredMean> clustered_mean(std::span<const double> values,
                                            std::span<const int64_t> clusters) {
  const std::vector<double> without = means_without_each_cluster(values, clusters);
  if (without.size() < 2) return std::nullopt;
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  const std::optional<JackknifeEstimate> estimate = jackknife(mean, {&without, 1});
  if (!estimate) return std::nullopt;
  return ClusteredMean{.mean = mean,
                       .variance = estimate->variance,
                       .degrees_of_freedom = estimate->degrees_of_freedom};
}

Interval mean_interval(const ClusteredMean& estimate, double confidence) {
  return jackknife_interval(
      JackknifeEstimate{estimate.mean, estimate.variance, estimate.degrees_of_freedom}, confidence);
}

Interval range_of_mean(double least, double most) {
  constexpr double kNoBound = std::numeric_limits<double>::infinity();
  return {least >= 0 ? 0 : -kNoBound, least >= 0 && most <= 1 ? 1 : kNoBound};
}

}  // namespace palimpsest::stat
