// The two-sample Kolmogorov-Smirnov test: do two samples come from the same continuous
// distribution? The statistic is the largest distance between their empirical distribution
// functions:
//
//   D = max_x |#{a <= x}/m - #{b <= x}/n|
//
// The two-sided p-value is the probability of at least that distance if both samples come from the
// same distribution. The results equal those of SciPy's ks_2samp. If there are ties, the p-value is
// an upper bound.
//
//   ks_two_sample({1, 2}, {3, 4, 5})   // statistic 1, p 0.2: two of ten orders are this extreme
#pragma once

#include <optional>
#include <span>

namespace palimpsest::stat {

// kExact counts the orders of the pooled sample. kAsymptotic uses the one-sample distribution for
// round(mn/(m+n)) values (see internal/kolmogorov.h). kAuto is exact if the larger sample has at
// most 10,000 values.
enum class KsMethod { kAuto, kExact, kAsymptotic };

struct KsResult {
  double statistic = 0;
  double p_value = 1;
  // The method that was used; never kAuto. If kExact would visit more than 2³² states (two samples
  // of 65,536), the asymptotic method is used instead. For one value against one value, the
  // asymptotic method says nothing, and the exact one is used.
  KsMethod method = KsMethod::kExact;
};

// Returns nullopt if a sample is empty. Throws Error if a value is NaN or infinite.
//
// The exact p-value is a sum of positive terms, so its relative error is below 1e-12 even for the
// smallest doubles. It takes at most O(mn) time, and O(min(m, n)) memory in addition to the sorted
// samples.
std::optional<KsResult> ks_two_sample(std::span<const double> a, std::span<const double> b,
                                      KsMethod method = KsMethod::kAuto);

}  // namespace palimpsest::stat
