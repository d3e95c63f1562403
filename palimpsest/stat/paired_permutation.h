// Do two models differ on the same examples? The paired permutation test of the mean difference:
// under the hypothesis that the two are exchangeable, each difference d_i could as well have had the
// other sign.
//
//   p = (1 + #{flips: |Σ ±d_i| >= |Σ d_i|}) / (1 + flips)
//
// Two-sided. With up to 12 differences every one of the 2^n sign patterns is looked at (then p is
// their exact share); with more, a seeded draw of them. Nothing is assumed of the differences'
// distribution.
//
// Examples that belong together (questions about one author) are not exchangeable one by one: with
// clusters, the sign of a whole cluster is flipped, so d_i is the sum over cluster i. Fewer than 6
// clusters cannot give p <= 0.05: the smallest p of G of them is 2/2^G.
//
//   paired_permutation_test({1, 2, 3})              // 2 of 8 patterns are as extreme: 0.25
//   paired_permutation_test({1, 2, 3}, {0, 0, 1})   // 2 of the 4 patterns of 3 and 3: 0.5
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace palimpsest::stat {

struct PairedPermutationOptions {
  int64_t flips = 9999;  // drawn patterns, at least 1
  uint64_t seed = 0;
};

// The p-value; 1 where all differences are 0, nullopt without any. Throws Error on differences that
// are not finite.
std::optional<double> paired_permutation_test(std::span<const double> differences,
                                              const PairedPermutationOptions& options = {});

// The same, flipping clusters: one cluster number per difference, any number that is not negative;
// empty: each difference is a cluster of its own. Throws Error also if there is another number of
// them than of differences, or a negative one.
std::optional<double> paired_permutation_test(std::span<const double> differences,
                                              std::span<const int64_t> clusters,
                                              const PairedPermutationOptions& options = {});

}  // namespace palimpsest::stat
