// A paired permutation test of the mean difference: do two models differ on the same examples?
// Under the null hypothesis the two models are exchangeable, so each difference d_i could equally
// well have had the other sign.
//
//   p = (1 + #{flips: |Σ ±d_i| >= |Σ d_i|}) / (1 + flips)
//
// The test is two-sided. For up to 12 differences, all 2^n sign patterns are evaluated, and p is
// the exact share of those that are as extreme. For more, random patterns are drawn from a seed.
// Nothing is assumed about the distribution of the differences.
//
// Examples that belong together (such as questions about one author) are not exchangeable one by
// one. If there are clusters, the sign of a whole cluster is flipped, and d_i is the sum over
// cluster i. Fewer than 6 clusters cannot give p <= 0.05, because the smallest p for G clusters is
// 2/2^G.
//
//   paired_permutation_test({1, 2, 3})              // 2 of 8 patterns are as extreme: 0.25
//   paired_permutation_test({1, 2, 3}, {0, 0, 1})   // cluster sums 3 and 3; 2 of 4 patterns: 0.5
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace palimpsest::stat {

struct PairedPermutationOptions {
  int64_t flips = 9999;  // number of drawn patterns, at least 1
  uint64_t seed = 0;
};

// Returns the p-value. It is 1 if all differences are 0, and nullopt if there are none. Throws
// Error for differences that are not finite.
std::optional<double> paired_permutation_test(std::span<const double> differences,
                                              const PairedPermutationOptions& options = {});

// Flips whole clusters. `clusters` has one non-negative number per difference; if it is empty, each
// difference is its own cluster. Throws Error also if the lengths differ or a number is negative.
std::optional<double> paired_permutation_test(std::span<const double> differences,
                                              std::span<const int64_t> clusters,
                                              const PairedPermutationOptions& options = {});

}  // namespace palimpsest::stat
