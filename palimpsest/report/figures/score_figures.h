// Figures that compare the scores of the forget set and the holdout set. The scores may come from
// several attacks of one audit or from one attack in several runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "palimpsest/report/figures/distribution_figure.h"
#include "palimpsest/report/figures/roc_figure.h"

namespace palimpsest::report {

// The defined scores under one attack or model. A higher score means less likely a member.
struct NamedScores {
  std::string name;  // the name of the curve or panel: an attack or a model
  std::vector<double> forget;
  std::vector<double> holdout;
};

// Draws one curve per entry, at most kMostCurves. The confidence band is drawn only for a single
// curve, because several bands would hide each other.
std::string score_roc_figure(std::span<const NamedScores> scores, RocFigureOptions options);

// Draws one panel per entry, at most kMostPanels.
std::string score_distribution_figure(std::span<const NamedScores> scores,
                                      const DistributionFigureOptions& options);

}  // namespace palimpsest::report
