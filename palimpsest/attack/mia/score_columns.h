// The scores that one attack gives to the forget set and to the holdout set, and their conversion
// to the input of the statistics.
//
// The statistics expect high scores for positives. The positives are members (the forget set), but
// an attack's score is low for members. So the conversion changes the sign of the scores, always
// with flip_orientation(). The AUC is the same either way.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::attack {

// Turns an attack's score, which is low for members, into one that is high for members. The same
// function turns thresholds back. It computes 0 - x rather than -x so that a score of 0 stays 0 and
// does not become -0.
constexpr double flip_orientation(double score) {
  return 0 - score;
}

// One score per example. It is undefined for some examples, for instance those without a labelled
// token (docs/definitions.md lists the cases).
using ScoreColumn = std::vector<std::optional<double>>;

// Views of the scores of both sets. The columns must outlive them.
struct ScoreColumns {
  std::span<const std::optional<double>> forget;
  std::span<const std::optional<double>> holdout;
};

// The column with the opposite orientation. It also serves as the scores of a reversed attack,
// which calls the examples with the highest scores members.
ScoreColumn flipped(std::span<const std::optional<double>> scores);

// The defined scores, flipped, in the order of the examples. Forget examples are the positives.
stat::LabelledScores to_labelled(const ScoreColumns& columns);

}  // namespace palimpsest::attack
