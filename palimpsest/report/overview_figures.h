// The figures that every report has: the AUC by attack, where the scores of members and others lie,
// and, for runs, their metrics beside each other and utility against forgetting.
#pragma once

#include <vector>

#include "palimpsest/report/comparisons.h"
#include "palimpsest/report/figures.h"
#include "palimpsest/report/run_table.h"

namespace palimpsest {

// auc_by_attack (where the AUC is among the metrics) and score_distributions (of the first few
// attacks).
std::vector<Figure> overview_figures(const SummaryTable& table);

// auc_by_model, where some run has membership attacks; utility_against_forgetting, where several runs
// have a metric of each kind: model_utility or retain_Q_A_ROUGE against the highest AUC or
// forget_quality.
std::vector<Figure> run_figures(const RunTable& table);

}  // namespace palimpsest
