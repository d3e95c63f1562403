// DeLong's nonparametric variance of the AUC (DeLong, DeLong and Clarke-Pearson 1988), in
// linearithmic time, the confidence interval on the logit scale, and the paired test of two scores
// on the same items.
//
//   Var(AUC) = S²(V10)/m + S²(V01)/n
//
// where V10 is, for each of the m positives, the share of negatives that it outranks, V01 likewise
// for the n negatives, and S² the sample variance. Undefined with fewer than two items in a class.
#pragma once

#include <optional>
#include <vector>

#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

struct AucEstimate {
  double auc = 0;
  double variance = 0;
};

std::optional<AucEstimate> delong(const LabelledScores& scores);

// What DeLong's variance is made of; for comparing many scores of the same items, each is placed
// only once.
struct AucPlacements {
  std::optional<double> auc;
  std::vector<double> positives;  // V10: [m]
  std::vector<double> negatives;  // V01: [n]
};

AucPlacements place(const LabelledScores& scores);

// logit(AUC) ± z·se/(AUC(1-AUC)), mapped back: stays inside [0, 1] and covers well near 1. Where
// the AUC is exactly 0 or 1 the exact bound of separated_auc_interval() is given. nullopt where the
// variance is undefined, and where it is 0: scores that are all equal tell nothing.
std::optional<Interval> delong_interval(const LabelledScores& scores, double confidence = 0.95);

struct DelongTest {
  double auc_a = 0;
  double auc_b = 0;
  Interval difference;  // interval of auc_a - auc_b at the confidence asked for
  // Two-sided, from z = (auc_a - auc_b)/se; 1 where the two do not differ at all, undefined where
  // they differ without any variance.
  std::optional<double> p_value;
};

// `a` and `b` hold two scores of the same items in the same order; Error if their sizes differ.
// nullopt where a variance is undefined.
std::optional<DelongTest> delong_test(const LabelledScores& a, const LabelledScores& b,
                                      double confidence = 0.95);
std::optional<DelongTest> delong_test(const AucPlacements& a, const AucPlacements& b,
                                      double confidence = 0.95);

}  // namespace palimpsest::stat
