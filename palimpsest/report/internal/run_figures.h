// The figures of runs: their AUCs side by side, utility against forgetting, ROC curves, and the
// score distributions of forget and holdout examples.
#pragma once

#include <span>
#include <vector>

#include "palimpsest/report/figures.h"
#include "palimpsest/report/run_results.h"
#include "palimpsest/report/run_table.h"

namespace palimpsest::report {

// `table` must be of the same runs. The figures are:
//
//   auc_by_model                          if some run has membership attacks
//   utility_against_forgetting            if several runs have a metric of each kind:
//                                         model_utility or retain_Q_A_ROUGE against the highest AUC
//                                         or forget_quality
//   models_roc, models_roc_log, models_scores   if logs have the scores of single examples. For
//                                         several runs, under leading_attack() of the first; for
//                                         one run, under each attack. A single run with a
//                                         scores.csv already has them as figures of that file.
std::vector<Figure> run_figures(std::span<const RunResults> runs, const RunTable& table);

}  // namespace palimpsest::report
