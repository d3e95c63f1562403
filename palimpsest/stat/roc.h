// The ROC curve and numbers derived from it. An item is called positive if its score is at least
// the threshold. All results are undefined (nullopt) unless both classes have items.
#pragma once

#include <optional>
#include <vector>

#include "palimpsest/stat/clusters.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

// The points of the curve in the order of falling thresholds, as in scikit-learn. The first is (0,
// 0) with an infinite threshold, the last is (1, 1).
struct RocCurve {
  std::vector<double> fpr;
  std::vector<double> tpr;
  std::vector<double> thresholds;
};

struct RocOptions {
  // Whether to omit points that lie on a straight line between their neighbours. The curve stays
  // the same.
  bool drop_intermediate = true;
};

std::optional<RocCurve> roc_curve(const ScoresView& scores, const RocOptions& options = {});

// The largest true positive rate among the thresholds whose false positive rate is at most the
// requested one. It is a point that an attacker can really choose, never an interpolated one.
struct TprAtFpr {
  double requested_fpr = 0;
  double tpr = 0;
  Interval tpr_interval;    // by tpr_interval(), at the requested confidence
  double realized_fpr = 0;  // among these negatives; at most requested_fpr
  double expected_fpr = 0;  // the mean rate of this threshold on new negatives
  double threshold = 0;     // infinite if no item can be called positive
  int64_t true_positives = 0;
  int64_t positives = 0;
  int64_t false_positives = 0;
  int64_t negatives = 0;
};

// Returns nullopt also if the sample is too small for the rate, with fewer than 3/fpr negatives.
// The interval could then not distinguish the rate from 0; for example, 400 negatives say nothing
// about a rate of 0.1%. At fpr = 1 every item is called positive, so the interval is [1, 1]. Throws
// Error unless 0 < fpr <= 1, and unless the clusters match the scores.
std::optional<TprAtFpr> tpr_at_fpr(const ScoresView& scores, const ScoreClusters& clusters,
                                   double fpr, double confidence = 0.95);

// The same for independent items, each of which is its own cluster.
std::optional<TprAtFpr> tpr_at_fpr(const ScoresView& scores, double fpr, double confidence = 0.95);

// The best value of a criterion over all thresholds, and the threshold that gives it.
struct BestThreshold {
  double value = 0;
  double threshold = 0;  // infinite if no item is called positive
};

// The advantage of an attack: the largest TPR - FPR over all thresholds (Yeom et al. 2018); at
// least 0.
std::optional<BestThreshold> advantage(const ScoresView& scores);

// The largest share of correct decisions over all thresholds. It is optimistic, because the
// threshold is chosen on the same data. To make decisions, choose the threshold on other data.
std::optional<BestThreshold> best_accuracy(const ScoresView& scores);

// The costs of the two kinds of wrong decisions, in any unit. They must be finite, not negative,
// and not both 0.
struct DecisionCosts {
  double false_positive = 1;
  double false_negative = 1;
};

// Throws Error if a cost is out of range.
void require_valid(const DecisionCosts& costs);

// The smallest mean cost per item over all thresholds, (cost_fp FP + cost_fn FN)/(m + n). Of
// equally good thresholds, the one that calls the fewest items positive is taken. Like
// best_accuracy(), the result is optimistic.
std::optional<BestThreshold> least_cost(const ScoresView& scores, const DecisionCosts& costs);

}  // namespace palimpsest::stat
