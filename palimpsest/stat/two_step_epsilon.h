// The two-step estimate of a mechanism's effective epsilon (TAPAS, after Jagielski et al. 2020):
//   1. on a validation part, choose the attack, the threshold and the side that promise the most;
//   2. on the rest, bound each of the two rates by a two-sided Clopper-Pearson interval at level
//      1 - (1-c)/2 (tails (1-c)/4), so that both hold with probability c:
//        ε in [ log(TP_low/FP_high), log(TP_high/FP_low) ],  the lower end at least 0.
// Because the choice never sees the data of step 2, the bounds stay valid however many attacks and
// thresholds were tried. All attacks must have been run in the same setting (data set, mechanism,
// target).
//
// The side: kPositives uses TP/FP, calling scores >= threshold positive; kNegatives uses TN/FN,
// calling scores <= threshold negative.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "palimpsest/stat/confusion.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::stat {

enum class EpsilonSide { kPositives, kNegatives };

// How step 1 chooses. kClopperPearson: the largest lower bound at confidence 0.9; steady. kRatio:
// the largest ratio of rates, where a denominator of 0 wins if the numerator counts at least
// max(10, 5%) items, the most such items first; bold. kRatio looks at no threshold among the first
// and last min(10, 1 + 10%) scores.
enum class EpsilonHeuristic { kClopperPearson, kRatio };

// kStratified: a seeded draw from each class. kPrefix: the first items, as TAPAS does, which is
// only right if their order means nothing.
enum class ValidationSplit { kStratified, kPrefix };

struct AttackScores {
  std::vector<int> labels;     // 1: positive (a member), 0: negative
  std::vector<double> scores;  // the same length; higher means positive
};

struct TwoStepOptions {
  double validation_split = 0.1;  // share of the items used for the choice, 0.001 to 0.999
  std::vector<double> confidence_levels = {0.9, 0.95, 0.99};
  EpsilonHeuristic heuristic = EpsilonHeuristic::kClopperPearson;
  ValidationSplit split = ValidationSplit::kStratified;
  uint64_t seed = 0;  // of the stratified split; attacks with equal labels get equal splits
  double delta = 0;   // of (ε, δ)-differential privacy, in [0, 1); has no say in the choice
};

struct EpsilonAtConfidence {
  double confidence = 0;
  Interval epsilon;   // the upper end is infinite where the lower bound of FP is 0
  Interval at_delta;  // log((TP - δ)/FP) of the same bounds, both ends at least 0
};

struct TwoStepEpsilon {
  int64_t attack = 0;  // number of the chosen attack
  double threshold = 0;
  EpsilonSide side = EpsilonSide::kPositives;
  // Of the rest at the threshold: on the side kPositives an item at the threshold is called positive,
  // on the side kNegatives negative.
  Confusion counts;
  std::vector<EpsilonAtConfidence> bounds;  // one per confidence level
};

// The two parts of one attack's scores. Throws Error on bad scores, labels or options.
struct ValidationParts {
  LabelledScores validation;
  LabelledScores rest;
};
ValidationParts split_for_validation(const AttackScores& attack, const TwoStepOptions& options);

// One flag per item: whether it belongs to the validation part. Depends on the labels and the options
// alone.
std::vector<bool> validation_items(std::span<const int> labels, const TwoStepOptions& options);

// nullopt where no attack has both classes in both parts. Throws Error on scores that are not
// finite, labels other than 0 and 1, or options out of range.
std::optional<TwoStepEpsilon> two_step_epsilon(std::span<const AttackScores> attacks,
                                               const TwoStepOptions& options);

}  // namespace palimpsest::stat
