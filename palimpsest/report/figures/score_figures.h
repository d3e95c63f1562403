// Figures of the scores of forget against holdout, whichever way the scores were come by: an audit's
// attacks or the same attack in several runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "palimpsest/report/figures/distribution_figure.h"
#include "palimpsest/report/figures/roc_figure.h"

namespace palimpsest {

// The scores that are defined; higher means less likely a member.
struct NamedScores {
  std::string name;  // of the curve or panel: an attack, a model
  std::vector<double> forget;
  std::vector<double> holdout;
};

// One curve each, of at most kMostCurves, with a band where there is one curve alone: several hide each
// other.
std::string score_roc_figure(std::span<const NamedScores> scores, RocFigureOptions options);

// One panel each, of at most kMostPanels.
std::string score_distribution_figure(std::span<const NamedScores> scores,
                                      const DistributionFigureOptions& options);

}  // namespace palimpsest
