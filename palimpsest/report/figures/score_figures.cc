#include "palimpsest/report/internal/figures/score_figures.h"

#include <algorithm>

#include "palimpsest/attack/mia/score_columns.h"

namespace palimpsest::report {

Chart score_roc_figure(std::span<const NamedScores> scores, RocFigureOptions options) {
  const auto shown = scores.first(std::min(scores.size(), kMaxCurves));
  std::vector<stat::LabelledScores> labelled;
  for (const NamedScores& one : shown)
    labelled.push_back(attack::to_labelled(one.forget, one.holdout));
  std::vector<RocLine> lines;
  for (size_t i = 0; i < shown.size(); ++i) lines.push_back({shown[i].name, &labelled[i]});
  if (lines.size() > 1) options.band.reset();
  return roc_figure(lines, options);
}

Chart score_distribution_figure(std::span<const NamedScores> scores) {
  std::vector<ScoreSet> sets;
  for (const NamedScores& one : scores.first(std::min(scores.size(), kMaxPanels))) {
    sets.push_back({one.name, "forget", one.forget});
    sets.push_back({one.name, "holdout", one.holdout});
  }
  return distribution_figure(sets);
}

}  // namespace palimpsest::report
