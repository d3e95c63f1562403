// The two-sample Kolmogorov-Smirnov test: do two samples come from one continuous distribution? The
// statistic is the largest distance between their empirical distributions,
//
//   D = max_x |#{a <= x}/m - #{b <= x}/n|
//
// and the p-value, two-sided, the probability of at least that distance if they do. Equal to
// SciPy's ks_2samp. With ties the p-value is an upper bound.
//
//   ks_two_sample({1, 2}, {3, 4, 5})   // statistic 1, p 0.2: two of ten orders are this extreme
#pragma once

#include <optional>
#include <span>

namespace palimpsest::stat {

// kExact counts orders of the pooled sample. kAsymptotic takes the one-sample distribution with
// round(mn/(m+n)) draws (see kolmogorov.h). kAuto: exact up to 10,000 values in the larger sample.
enum class KsMethod { kAuto, kExact, kAsymptotic };

struct KsResult {
  double statistic = 0;
  double p_value = 1;
  // The method that was used, never kAuto. kExact gives way where it would visit more than 2³²
  // states (two samples of 65,536), kAsymptotic for one value against one, where it says nothing.
  KsMethod method = KsMethod::kExact;
};

// nullopt where a sample is empty; Error where a value is NaN or infinite.
//
// The exact p-value is a sum of positive terms, so its relative error stays below 1e-12 down to the
// smallest double; time O(mn) at most, memory O(min(m, n)) beside the sorted samples.
std::optional<KsResult> ks_two_sample(std::span<const double> a, std::span<const double> b,
                                      KsMethod method = KsMethod::kAuto);

}  // namespace palimpsest::stat
