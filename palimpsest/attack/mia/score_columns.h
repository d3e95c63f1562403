// One attack's scores of the forget and of the holdout set, and the step from there to the
// statistics.
//
// The statistics count a high score as positive; for an attacker a member is the positive, while an
// attack's score is low for members. So the forget set is the positive class and scores change their
// sign on the way, by flip_orientation() and nothing else. The AUC is the same either way.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest {

// From an attack's score, low for members, to one that is high for members; and back, for thresholds.
// 0 - x rather than -x: a score of 0 stays 0, not -0.
constexpr double flip_orientation(double score) {
  return 0 - score;
}

// One score per example; undefined where the example has no labelled token.
using ScoreColumn = std::vector<std::optional<double>>;

// Does not own the columns.
struct ScoreColumns {
  std::span<const std::optional<double>> forget;
  std::span<const std::optional<double>> holdout;
};

// A column in the other orientation: also the scores of an attack that is turned round.
ScoreColumn flipped(std::span<const std::optional<double>> scores);

// The defined scores, forget examples as the positives, flipped, in the order of the examples.
LabelledScores to_labelled(const ScoreColumns& columns);
// The same of scores that are all defined.
LabelledScores to_labelled(std::vector<double> forget, std::vector<double> holdout);

// The same of two columns over the same examples, those left out that either leaves undefined.
// Both must have the same numbers of examples.
std::pair<LabelledScores, LabelledScores> to_paired(const ScoreColumns& a, const ScoreColumns& b);

}  // namespace palimpsest
