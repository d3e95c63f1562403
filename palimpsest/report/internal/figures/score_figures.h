// Figures that compare the scores of the forget set and the holdout set. The scores may come from
// several attacks of one audit or from one attack in several runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "palimpsest/report/internal/figures/distribution_figure.h"
#include "palimpsest/report/internal/figures/roc_figure.h"

namespace palimpsest::report {

// The scores that are defined; higher means less likely a member.
struct NamedScores {
  std::string name;  // of the curve or panel: an attack, a model
  std::vector<double> forget;
  std::vector<double> holdout;
};

// One curve per entry, at most kMaxCurves. The confidence band is drawn only for a single curve,
// because several bands would hide each other.
Chart score_roc_figure(std::span<const NamedScores> scores, RocFigureOptions options);

// One panel per entry, at most kMaxPanels.
Chart score_distribution_figure(std::span<const NamedScores> scores);

}  // namespace palimpsest::report
