// One attack's scores of the forget and of the holdout set, and the step from there to the
// statistics.
//
// The statistics count a high score as positive; for an attacker a member is the positive, while an
// attack's score is low for members. So scores are negated here, and nowhere else. The AUC is the
// same either way.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest {

// One score an example; undefined where the example has no labelled token.
using ScoreColumn = std::vector<std::optional<double>>;

// Does not own the columns.
struct ScoreColumns {
  std::span<const std::optional<double>> forget;
  std::span<const std::optional<double>> holdout;
};

// The defined scores, forget examples as the positives, negated, in the order of the examples.
LabelledScores to_labelled(const ScoreColumns& columns);
// The same of scores that are all defined.
LabelledScores to_labelled(std::vector<double> forget, std::vector<double> holdout);

// The same of two columns over the same examples, those left out that either leaves undefined.
// Both must have the same numbers of examples.
std::pair<LabelledScores, LabelledScores> to_paired(const ScoreColumns& a, const ScoreColumns& b);

}  // namespace palimpsest
