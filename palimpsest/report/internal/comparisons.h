// Comparison figures: those that were published with TAPAS (a toolbox that audits the privacy of
// synthetic data), and others on request. In each figure some columns are fixed (`fix`), one is
// compared along the x axis (`compare`), and another gives the colours (`marker`).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "palimpsest/report/attack_summary.h"
#include "palimpsest/report/figures/figure.h"
#include "palimpsest/report/report.h"

namespace palimpsest::report {

// The input of the figures.
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

// One figure for each combination of the fixed columns' values that has summaries.
std::vector<Figure> comparison_figures(const SummaryTable& table, const Comparison& comparison);

// The published comparisons whose compared column has at least two values.
std::vector<Figure> published_figures(const SummaryTable& table);

}  // namespace palimpsest::report
