#include "palimpsest/attack/internal/mia/baseline_columns.h"

#include "palimpsest/attack/mia/comparison.h"

namespace palimpsest::attack {
namespace {

ScoreColumn picked(const ScoreColumn& scores, const std::vector<size_t>& places) {
  ScoreColumn column;
  column.reserve(places.size());
  for (const size_t place : places) column.push_back(scores[place]);
  return column;
}

}  // namespace

std::vector<BaselineColumn> baseline_columns(
    const std::pair<const TraceScores*, const TraceScores*>& audited,
    const std::pair<const TraceScores*, const TraceScores*>& baseline,
    std::span<const size_t> attacks) {
  const auto& [forget, holdout] = baseline;
  const auto forget_places =
      match_examples(*audited.first, *forget, "the baseline's forget traces");
  const auto holdout_places =
      match_examples(*audited.second, *holdout, "the baseline's holdout traces");
  std::vector<BaselineColumn> columns;
  for (const size_t a : attacks) {
    const std::string& lacking =
        forget->lacking[a].empty() ? holdout->lacking[a] : forget->lacking[a];
    if (!lacking.empty()) {
      columns.push_back({.lacking = lacking});
      continue;
    }
    columns.push_back({.forget = picked(forget->columns[a], forget_places),
                       .holdout = picked(holdout->columns[a], holdout_places),
                       .lacking = ""});
  }
  return columns;
}

}  // namespace palimpsest::attack
