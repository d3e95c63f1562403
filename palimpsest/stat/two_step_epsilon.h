// The two-step estimate of a mechanism's effective epsilon (TAPAS, after Jagielski et al. 2020):
//   1. On a validation part of the data, choose the most promising attack, threshold and side.
//   2. On the rest, bound each of the two rates by a two-sided Clopper-Pearson interval at level
//      1 - (1-c)/2 (tails (1-c)/4), so that both hold with probability c:
//        ε in [ log(TP_low/FP_high), log(TP_high/FP_low) ],  the lower end at least 0.
// The choice never sees the data of step 2. So the bounds are valid however many attacks and
// thresholds were tried. All attacks must have been run in the same setting (data set, mechanism,
// target).
//
// The side says which rates are compared. kPositives uses TP/FP and calls scores >= threshold
// positive. kNegatives uses TN/FN and calls scores <= threshold negative.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "palimpsest/stat/confusion.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::stat {

enum class EpsilonSide { kPositives, kNegatives };

// How step 1 chooses. kClopperPearson takes the largest lower bound at confidence 0.9, which is a
// stable choice. kRatio takes the largest ratio of rates, which is a bolder choice. Two rules apply
// to kRatio; n is the number of items in the validation part:
//   1. The first and the last min(10, 1 + 10% of n) of the sorted scores are not tried as
//      thresholds.
//   2. A ratio whose denominator is 0 counts only if its numerator counts at least max(10, 5% of n)
//      items. It then beats all ratios that are finite. Of several such ratios, the one whose
//      numerator counts the most items wins.
enum class EpsilonHeuristic { kClopperPearson, kRatio };

// How the validation part is chosen. kStratified draws it at random from each class. kPrefix takes
// the first items, as TAPAS does; this is right only if the order of the items means nothing.
enum class ValidationSplit { kStratified, kPrefix };

struct AttackScores {
  std::vector<int> labels;     // 1: positive (a member), 0: negative
  std::vector<double> scores;  // the same length; higher means more likely positive
};

struct TwoStepOptions {
  double validation_split = 0.1;  // share of the items that serve the choice, 0.001 to 0.999
  std::vector<double> confidence_levels = {0.9, 0.95, 0.99};
  EpsilonHeuristic heuristic = EpsilonHeuristic::kClopperPearson;
  ValidationSplit split = ValidationSplit::kStratified;
  uint64_t seed = 0;  // of the stratified split; equal labels give equal splits
  double delta = 0;   // the δ of (ε, δ)-DP, in [0, 1); it does not influence the choice
};

struct EpsilonAtConfidence {
  double confidence = 0;
  Interval epsilon;   // the upper end is infinite if the lower bound of FP is 0
  Interval at_delta;  // log((TP - δ)/FP) for the same bounds; both ends are at least 0
};

struct TwoStepEpsilon {
  int64_t attack = 0;  // position of the chosen attack
  double threshold = 0;
  EpsilonSide side = EpsilonSide::kPositives;
  // The decision on the rest of the data. An item exactly at the threshold is called positive on
  // the side kPositives, and negative on the side kNegatives.
  Confusion counts;
  std::vector<EpsilonAtConfidence> bounds;  // one per confidence level
};

// The two parts of an attack's scores.
struct ValidationParts {
  LabelledScores validation;
  LabelledScores rest;
};
// Throws Error for wrong scores, labels or options.
ValidationParts split_for_validation(const AttackScores& attack, const TwoStepOptions& options);

// One flag per item: whether it belongs to the validation part. It depends only on the labels and
// the options.
std::vector<bool> validation_items(std::span<const int> labels, const TwoStepOptions& options);

// Returns nullopt if no attack has both classes in both parts. Throws Error for scores that are not
// finite, labels other than 0 and 1, or options out of range.
std::optional<TwoStepEpsilon> two_step_epsilon(std::span<const AttackScores> attacks,
                                               const TwoStepOptions& options);

}  // namespace palimpsest::stat
