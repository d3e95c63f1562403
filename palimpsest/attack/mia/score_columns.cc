#include "palimpsest/attack/mia/score_columns.h"

namespace palimpsest::attack {
namespace {

using Column = std::span<const std::optional<double>>;

std::vector<double> defined_flipped(Column scores) {
  std::vector<double> values;
  values.reserve(scores.size());
  for (const std::optional<double>& score : scores) {
    if (score) values.push_back(flip_orientation(*score));
  }
  return values;
}

}  // namespace

ScoreColumn flipped(Column scores) {
  ScoreColumn result(scores.begin(), scores.end());
  for (std::optional<double>& score : result) {
    if (score) score = flip_orientation(*score);
  }
  return result;
}

stat::LabelledScores to_labelled(const ScoreColumns& columns) {
  return {.positives = defined_flipped(columns.forget),
          .negatives = defined_flipped(columns.holdout)};
}

}  // namespace palimpsest::attack
