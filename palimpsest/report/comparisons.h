// Figures that compare attacks: those that TAPAS published, and others on request. In each figure
// some columns are fixed (`fix`), one is compared along the x axis (`compare`), and another
// determines the colours (`marker`).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "palimpsest/report/attack_summary.h"
#include "palimpsest/report/figures.h"

namespace palimpsest::report {

struct Comparison {
  std::string compare;
  std::vector<std::string> fix;
  std::string marker;
};

// TAPAS' published comparisons: generators, attacks, data sets and targets against each other, with
// the other columns fixed.
std::span<const Comparison> published_comparisons();

// The input of the figures. It refers to data that must outlive it.
struct SummaryTable {
  const std::vector<std::string>& columns;
  std::span<const AttackSummary> summaries;
  std::span<const size_t> metrics;  // as in SummaryOptions

  // The value of a column, or "" if there is no such column.
  std::string value(const AttackSummary& summary, const std::string& column) const;
  // Throws Error if there is no such column. The message lists the existing columns and begins with
  // `option`.
  void require_column(const std::string& column, const std::string& option) const;
};

// Makes one figure for each combination of values of the fixed columns that has summaries.
std::vector<Figure> comparison_figures(const SummaryTable& table, const Comparison& comparison);

// Makes the figures of the published comparisons whose compared column has at least two values.
std::vector<Figure> published_figures(const SummaryTable& table);

}  // namespace palimpsest::report
