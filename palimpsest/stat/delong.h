// DeLong's nonparametric variance of the AUC (DeLong, DeLong and Clarke-Pearson 1988) in O(n log n)
// time, a confidence interval on the logit scale, and a paired test of two scores on the same
// items.
//
//   Var(AUC) = S²(V10)/m + S²(V01)/n
//
// V10 is, for each of the m positives, the share of the negatives that it outranks. V01 is the same
// for the n negatives: the share of the positives that outrank it. S² is the sample variance.
// Undefined if a class has fewer than two items.
#pragma once

#include <optional>

#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

struct AucEstimate {
  double auc = 0;
  double variance = 0;
};

std::optional<AucEstimate> delong(const ScoresView& scores);

// logit(AUC) ± z·se/(AUC(1-AUC)), transformed back. So the interval stays inside [0, 1] and has
// good coverage near 1. An AUC of exactly 0 or 1 gets the exact bound of separated_auc_interval().
// Returns nullopt if the variance is undefined, or if it is 0 because all scores are equal.
std::optional<Interval> delong_interval(const ScoresView& scores, double confidence = 0.95);

struct DelongTest {
  double auc_a = 0;
  double auc_b = 0;
  Interval difference;  // the interval of auc_a - auc_b at the requested confidence
  // Two-sided, from z = (auc_a - auc_b)/se. It is 1 if the AUCs do not differ, and undefined if
  // they differ but the difference has no variance.
  std::optional<double> p_value;
};

// `a` and `b` are two scores of the same items in the same order. Throws Error if their sizes
// differ. Returns nullopt if a variance is undefined.
std::optional<DelongTest> delong_test(const ScoresView& a, const ScoresView& b,
                                      double confidence = 0.95);

}  // namespace palimpsest::stat
