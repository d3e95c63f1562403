// The figures that a report draws of whatever it is about: of scores, and of runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "palimpsest/report/figures/figure.h"
#include "palimpsest/report/report.h"
#include "palimpsest/report/run_results.h"
#include "palimpsest/report/run_table.h"

namespace palimpsest::report {

// The summaries of a report, from which its figures are made.
struct SummaryTable {
  const std::vector<std::string>& columns;
  std::span<const AttackSummary> summaries;
  std::span<const size_t> metrics;  // as in SummaryOptions

  // The value of a column; "" if there is no such column.
  std::string value(const AttackSummary& summary, const std::string& column) const;
  // The values that distinguish this summary from others, such as "t1, gen_a". The values of the
  // columns `without` are left out.
  std::string setting(const AttackSummary& summary, const std::vector<std::string>& without) const;
  // Throws Error if there is no such column. The message names the existing columns and `option`.
  void require_column(const std::string& column, const std::string& option) const;
};

// Comparison figures: those that were published with TAPAS (a toolbox that audits the privacy of
// synthetic data), and others on request. There is one figure for each combination of the fixed
// columns' values that has summaries.
std::vector<Figure> comparison_figures(const SummaryTable& table, const Comparison& comparison);

// The published comparisons whose compared column has at least two values.
std::vector<Figure> published_figures(const SummaryTable& table);

// The ROC curves. Each group of attacks gets figures of the whole curve, of both corners enlarged,
// and of the curve on logarithmic axes. Attacks that do not have both classes have no curve. A
// figure with many curves has no confidence bands, because they would hide each other. Throws Error
// for a column that does not exist and for options out of range.
std::vector<Figure> roc_figures(const SummaryTable& table, const RocReportOptions& options);

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
