#include "palimpsest/attack/mia/score_columns.h"

#include "palimpsest/base/error.h"

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

void append_paired(Column a, Column b, std::vector<double>& to_a, std::vector<double>& to_b) {
  PALIMPSEST_CHECK(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i] || !b[i]) continue;
    to_a.push_back(flip_orientation(*a[i]));
    to_b.push_back(flip_orientation(*b[i]));
  }
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

stat::LabelledScores to_labelled(std::vector<double> forget, std::vector<double> holdout) {
  stat::LabelledScores scores{std::move(forget), std::move(holdout)};
  for (double& score : scores.positives) score = -score;
  for (double& score : scores.negatives) score = -score;
  return scores;
}

std::pair<stat::LabelledScores, stat::LabelledScores> to_paired(const ScoreColumns& a,
                                                                const ScoreColumns& b) {
  std::pair<stat::LabelledScores, stat::LabelledScores> paired;
  append_paired(a.forget, b.forget, paired.first.positives, paired.second.positives);
  append_paired(a.holdout, b.holdout, paired.first.negatives, paired.second.negatives);
  return paired;
}

}  // namespace palimpsest::attack
