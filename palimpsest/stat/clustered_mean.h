// The mean of values that come in clusters, with its uncertainty by the delete-one-cluster
// jackknife (jackknife.h). S and n are the sum and the number of all values, m = S/n is their mean,
// S_g and n_g are those of cluster g, and G is the number of clusters:
//
//   m_(-g) = (S - S_g)/(n - n_g),   V = (G - 1)/G · Σ (m_(-g) - m)²,   df = G - 1
//   interval: m ± t_{1-α/2, G-1} · √V
//
// For clusters of one value this is Student's interval. Values have equal weight, so a large
// cluster has more weight than a small one.
//
// Degenerate cases: if there are fewer than two clusters, or if all values are equal, the variance
// is undefined.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "palimpsest/stat/interval.h"

namespace palimpsest::stat {

struct ClusteredMean {
  double mean = 0;
  double variance = 0;            // V, greater than 0
  double degrees_of_freedom = 0;  // G - 1
};

// `clusters` has one number per value; equal numbers mean the same cluster. The numbers may be any
// integers, in any order. Returns nullopt if the variance is undefined. Throws Error unless there
// is one cluster number per value, and for a value that is not finite.
std::optional<ClusteredMean> clustered_mean(std::span<const double> values,
                                            std::span<const int64_t> clusters);

Interval mean_interval(const ClusteredMean& estimate, double confidence = 0.95);

// A guess at the range of possible values, made from the least and the greatest value in the data.
// It is [0, 1] if both lie in it. Otherwise it is [0, ∞) if `least` is not negative, and all
// numbers if `least` is negative. The mean has the same range. Callers cut the interval of a mean
// at it (cut_at()).
Interval range_of_mean(double least, double most);

// m_(-g) for each cluster, in ascending order of the cluster numbers. The jackknife of a number
// that combines several means uses these values. A cluster that holds all values has no entry.
std::vector<double> means_without_each_cluster(std::span<const double> values,
                                               std::span<const int64_t> clusters);

}  // namespace palimpsest::stat
