// How many examples does an audit need? The power of the two-sided test of AUC = ½, by the normal
// approximation with Hanley and McNeil's (1982) variance:
//
//   power(A) = Φ((A - ½ - z σ(½)) / σ(A)),   z the two-sided quantile of the level
//   σ²(A) = (A(1-A) + (m-1)(A/(2-A) - A²) + (n-1)(2A²/(1+A) - A²)) / (m n)
//
// for A > ½, m positives and n negatives; an AUC below ½ is mirrored. At A = ½ this is the exact
// variance of Mann-Whitney's statistic, (m + n + 1)/(12 m n). To be asked before a long run: nothing
// of the data but their number is needed.
//
//   smallest_detectable_auc(400, 400)   // 0.557
//   examples_needed(0.55)               // 522 in each set
#pragma once

#include <cstdint>
#include <optional>

namespace palimpsest {

struct PowerOptions {
  double power = 0.8;   // chance of telling a true difference, in (0, 1)
  double level = 0.05;  // chance of seeing one where there is none, two-sided, in (0, 1)
};

// nullopt with too few examples to tell even an AUC of 1 from ½. Throws Error on options out of
// range and on negative counts.
std::optional<double> smallest_detectable_auc(int64_t positives, int64_t negatives,
                                              const PowerOptions& options = {});

// The size of each of two equally large sets at which this AUC is told from ½. Throws Error unless
// 0 <= auc <= 1 and |auc - ½| >= 0.001.
int64_t examples_needed(double auc, const PowerOptions& options = {});

}  // namespace palimpsest
