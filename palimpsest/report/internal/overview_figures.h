// The figures that every report of scores has: the AUC by attack, and where the scores of members
// and others lie.
#pragma once

#include <vector>

#include "palimpsest/report/comparisons.h"
#include "palimpsest/report/figures.h"

namespace palimpsest::report {

// auc_by_attack (where the AUC is among the metrics) and score_distributions (of the first few
// attacks).
std::vector<Figure> overview_figures(const SummaryTable& table);

}  // namespace palimpsest::report
