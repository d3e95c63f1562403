// Figures that compare the scores of the forget set and the holdout set. The scores may come from
// several attacks of one audit or from one attack in several runs.
#pragma once

#include <span>
#include <string>

#include "palimpsest/attack/scored_attack.h"
#include "palimpsest/report/internal/figures/roc_figure.h"

namespace palimpsest::report {

struct NamedScores {
  std::string name;                              // of the curve or panel: an attack, a model
  const attack::ScoredAttack* scored = nullptr;  // not owned
};

// One curve per entry, at most kMaxCurves. The confidence band is drawn only for a single curve,
// because several bands would hide each other.
Chart score_roc_figure(std::span<const NamedScores> scores, RocFigureOptions options);

// One panel per entry, at most kMaxPanels.
Chart score_distribution_figure(std::span<const NamedScores> scores);

}  // namespace palimpsest::report
