// The ROC curves of a report. Each group of attacks gets figures of the whole curve, of both
// corners enlarged, and of the curve on logarithmic axes.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/report/internal/comparisons.h"

namespace palimpsest::report {

// Attacks that do not have both classes have no curve. A figure with many curves has no confidence
// bands, because they would hide each other. Throws Error for a column that does not exist and for
// options out of range.
std::vector<Figure> roc_figures(const SummaryTable& table, const RocReportOptions& options);

}  // namespace palimpsest::report
