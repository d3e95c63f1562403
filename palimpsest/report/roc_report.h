// The ROC curves of a report: a figure a group of attacks, whole, zoomed at both corners and with
// logarithmic axes.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/report/comparisons.h"
#include "palimpsest/report/figures.h"

namespace palimpsest {

struct RocReportOptions {
  std::string disaggregate_by = {};    // a figure for each value of this column; empty: one
  std::string curve_label = "attack";  // the column that names the curves
  std::vector<double> zooms = {1};     // each in (0, 1]; below 1 both corners
  std::vector<double> epsilons = {};   // bound lines
  double confidence = 0.95;            // of the band
};

// Attacks without both classes have no curve. A figure of many curves has no bands, which would hide
// each other. Throws Error for a column that is not there and for options out of range.
std::vector<Figure> roc_figures(const SummaryTable& table, const RocReportOptions& options);

}  // namespace palimpsest
