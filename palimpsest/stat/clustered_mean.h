// The mean of single values where items come in clusters, by the delete-one-cluster jackknife
// (jackknife.h). With S and n the sum and number of all values, S_g and n_g those of the cluster g:
//
//   m_(-g) = (S - S_g)/(n - n_g),   V = (G - 1)/G · Σ (m_(-g) - m)²,   df = G - 1
//   interval: m ± t_{1-α/2, G-1} · √V
//
// Clusters of one give Student's interval. Items weigh equally, so a large cluster weighs more than
// a small one.
//
// Degenerate cases: fewer than two clusters or values that are all equal have a mean and no variance.
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
  int64_t clusters = 0;           // G

  double standard_error() const;
};

// `clusters` has one number per value, of any size and order; equal numbers are one cluster. nullopt
// where the variance is undefined, see above. Throws Error unless there is one number per value, and
// for a value that is not finite.
std::optional<ClusteredMean> clustered_mean(std::span<const double> values,
                                            std::span<const int64_t> clusters);

// The same where every value is a cluster of its own.
std::optional<ClusteredMean> clustered_mean(std::span<const double> values);

Interval mean_interval(const ClusteredMean& estimate, double confidence = 0.95);

// m_(-g), in ascending order of the clusters' numbers: what composites of several means are made
// from. A cluster that holds all values has none.
std::vector<double> means_without_each_cluster(std::span<const double> values,
                                               std::span<const int64_t> clusters);

}  // namespace palimpsest::stat
