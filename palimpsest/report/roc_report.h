// The ROC curves of a report. Each group of attacks gets figures of the whole curve, of both
// corners enlarged, and with logarithmic axes.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/report/comparisons.h"
#include "palimpsest/report/figures.h"

namespace palimpsest::report {

struct RocReportOptions {
  std::string disaggregate_by = {};    // column with one figure per value; empty: one figure
  std::string curve_label = "attack";  // the column that names the curves
  // Side of the square shown, each in (0, 1]; below 1: both corners.
  std::vector<double> zooms = {1};
  std::vector<double> epsilons = {};  // draws the bounds of these epsilons as lines
  double confidence = 0.95;           // of the band
};

// Attacks without both classes have no curve. A figure of many curves has no bands, which would hide
// each other. Throws Error for a column that is not there and for options out of range.
std::vector<Figure> roc_figures(const SummaryTable& table, const RocReportOptions& options);

}  // namespace palimpsest::report
