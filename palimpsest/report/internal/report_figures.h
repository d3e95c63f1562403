// The figures that a report draws of whatever it is about: of scores, and of runs.
#pragma once

#include <span>
#include <vector>

#include "palimpsest/report/figures/figure.h"
#include "palimpsest/report/internal/comparisons.h"
#include "palimpsest/report/run_results.h"
#include "palimpsest/report/run_table.h"

namespace palimpsest::report {

// Returns auc_by_attack, if the AUC is among the metrics, and score_distributions of positives and
// negatives, for the first few attacks.
std::vector<Figure> overview_figures(const SummaryTable& table);

// `table` is of the same runs.
//
//   auc_by_model                          where some run has membership attacks
//   utility_against_forgetting            where several runs have a metric of each kind:
//                                         model_utility or retain_Q_A_ROUGE against the AUC of the
//                                         attack below, else the highest AUC, or forget_quality
//   models_roc, models_roc_log, models_scores   where logs hold the scores of single examples: of
//                                         several runs under leading_attack() of the first, of
//                                         one run under each attack. One run with a scores.csv has
//                                         them already, as figures of that file.
std::vector<Figure> run_figures(std::span<const RunResults> runs, const RunTable& table);

}  // namespace palimpsest::report
