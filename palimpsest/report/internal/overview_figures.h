// The figures of every report of scores: the AUC by attack, and the distributions of the scores of
// positives and negatives.
#pragma once

#include <vector>

#include "palimpsest/report/comparisons.h"
#include "palimpsest/report/figures.h"

namespace palimpsest::report {

// Returns auc_by_attack, if the AUC is among the metrics, and score_distributions, for the first
// few attacks.
std::vector<Figure> overview_figures(const SummaryTable& table);

}  // namespace palimpsest::report
