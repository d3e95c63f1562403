#include "palimpsest/attack/internal/mia/baseline_columns.h"

#include "palimpsest/attack/internal/mia/comparison.h"

namespace palimpsest::attack {
namespace {

ScoreColumn picked(const ScoreColumn& scores, const std::vector<size_t>& indices) {
  ScoreColumn column;
  column.reserve(indices.size());
  for (const size_t index : indices) column.push_back(scores[index]);
  return column;
}

// Whether all defined scores of both sets are the same number.
bool is_constant(const ScoredAttack& scored) {
  std::optional<double> first;
  for (const SetScores* set : {&scored.forget, &scored.holdout}) {
    for (const std::optional<double>& score : set->scores) {
      if (!first) first = score;
      if (score && score != first) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<BaselineColumn> baseline_columns(const MiaInput& input, std::span<const size_t> attacks,
                                             const MiaReport& report) {
  const auto& [forget, holdout] = input.baseline.value();
  const auto forget_indices = match_examples(input.forget, forget, "the baseline's forget traces");
  const auto holdout_indices =
      match_examples(input.holdout, holdout, "the baseline's holdout traces");
  std::vector<BaselineColumn> columns;
  for (const size_t a : attacks) {
    const std::string& lacking = forget.lacking[a].empty() ? holdout.lacking[a] : forget.lacking[a];
    if (!lacking.empty()) {
      columns.push_back({.lacking = lacking});
      continue;
    }
    columns.push_back(
        {.scored = {.forget = set_scores(report.forget, picked(forget.columns[a], forget_indices)),
                    .holdout =
                        set_scores(report.holdout, picked(holdout.columns[a], holdout_indices))},
         .lacking = ""});
    // As with a reference model that is the baseline: every difference from itself is 0.
    if (is_constant(columns.back().scored)) {
      columns.back() = {.lacking = "it gives all examples the same score under the baseline"};
    }
  }
  return columns;
}

}  // namespace palimpsest::attack
