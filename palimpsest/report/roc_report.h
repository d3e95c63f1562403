// The ROC curves of a report. Each group of attacks gets figures of the whole curve, of both
// corners enlarged, and of the curve on logarithmic axes.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/report/comparisons.h"
#include "palimpsest/report/figures.h"

namespace palimpsest::report {

struct RocReportOptions {
  // If set, each value of this column gets its own figure. Empty: one figure.
  std::string disaggregate_by = {};
  std::string curve_label = "attack";  // the column that names the curves
  // The side lengths of the squares that are shown, each in (0, 1]. If a side is below 1, both
  // corners are shown.
  std::vector<double> zooms = {1};
  std::vector<double> epsilons = {};  // for each of these, the bound of ε-DP is drawn as a line
  double confidence = 0.95;           // of the confidence band
};

// Attacks that do not have both classes have no curve. A figure with many curves has no confidence
// bands, because they would hide each other. Throws Error for a column that does not exist and for
// options out of range.
std::vector<Figure> roc_figures(const SummaryTable& table, const RocReportOptions& options);

}  // namespace palimpsest::report
