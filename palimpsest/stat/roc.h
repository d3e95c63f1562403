// The ROC curve and what is read off it. An item is called positive where its score is at least the
// threshold. Everything is undefined (nullopt) unless both classes are there.
#pragma once

#include <optional>
#include <vector>

#include "palimpsest/stat/clusters.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

// Points in order of falling threshold, from (0, 0), whose threshold is infinite, to (1, 1):
// scikit-learn's.
struct RocCurve {
  std::vector<double> fpr;
  std::vector<double> tpr;
  std::vector<double> thresholds;
};

struct RocOptions {
  // Leave out points on a straight line between their neighbours: the same curve, fewer points.
  bool drop_intermediate = true;
};

std::optional<RocCurve> roc_curve(const LabelledScores& scores, const RocOptions& options = {});

// The largest true positive rate among the thresholds whose false positive rate is at most the one
// asked for: a point that an attacker can really choose, never an interpolated one.
struct TprAtFpr {
  double requested_fpr = 0;
  double tpr = 0;
  Interval tpr_interval;    // binomial-beta, at the confidence asked for: see tpr_interval.h
  double realized_fpr = 0;  // among these negatives, at most requested_fpr
  double expected_fpr = 0;  // what the threshold's rate on new negatives is on average
  double threshold = 0;     // infinite where nothing can be called positive
  int64_t true_positives = 0;
  int64_t positives = 0;
  int64_t false_positives = 0;
  int64_t negatives = 0;
};

// nullopt also where the sample cannot resolve the rate: fewer than 3/fpr negatives, of which the
// interval could not tell the rate from 0 (400 negatives say nothing about a rate of 0.1%). At a
// rate of 1 everything is called positive, so the interval is [1, 1]. Throws Error unless
// 0 < fpr <= 1, and unless the clusters match the scores.
std::optional<TprAtFpr> tpr_at_fpr(const LabelledScores& scores, const ScoreClusters& clusters,
                                   double fpr, double confidence = 0.95);

// The same for independent items.
std::optional<TprAtFpr> tpr_at_fpr(const LabelledScores& scores, double fpr,
                                   double confidence = 0.95);

struct BestThreshold {
  double value = 0;
  double threshold = 0;  // infinite: call nothing positive
};

// The attack's advantage: the largest TPR - FPR over all thresholds (Yeom et al. 2018), at least 0.
std::optional<BestThreshold> advantage(const LabelledScores& scores);

// The largest share of items called rightly over all thresholds. Chosen on the data it is measured
// on, so optimistic: for a decision choose the threshold on other data.
std::optional<BestThreshold> best_accuracy(const LabelledScores& scores);

// What a wrong decision costs, in any unit; finite, not negative, not both 0.
struct DecisionCosts {
  double false_positive = 1;
  double false_negative = 1;
};

// Throws Error on costs out of range.
void require_valid(const DecisionCosts& costs);

// The smallest mean cost of an item over all thresholds, (cost_fp FP + cost_fn FN)/(m + n); among
// equals the one that calls the fewest positive. Optimistic in the same way.
std::optional<BestThreshold> least_cost(const LabelledScores& scores, const DecisionCosts& costs);

}  // namespace palimpsest::stat
