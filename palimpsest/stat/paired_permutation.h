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
//   paired_permutation_test({1, 2, 3})   // 2 of 8 patterns are as extreme: 0.25
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace palimpsest {

struct PairedPermutationOptions {
  int64_t flips = 9999;  // drawn patterns, at least 1
  uint64_t seed = 0;
};

// The p-value; 1 where all differences are 0, nullopt without any. Throws Error on differences that
// are not finite.
std::optional<double> paired_permutation_test(std::span<const double> differences,
                                              const PairedPermutationOptions& options = {});

}  // namespace palimpsest
