// Comparison figures: those that TAPAS published, and others on request. In each figure some
// columns are fixed (`fix`), one is compared along the x axis (`compare`), and another gives the
// colours (`marker`).
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

// Generators, attacks, data sets and targets against each other with the rest fixed, as TAPAS
// publishes them.
std::span<const Comparison> published_comparisons();

// What the figures are made from.
struct SummaryTable {
  const std::vector<std::string>& columns;
  std::span<const AttackSummary> summaries;
  std::span<const size_t> metrics;  // as in SummaryOptions

  // The value of a column, "" where there is no such column.
  std::string value(const AttackSummary& summary, const std::string& column) const;
  // The values that tell this summary from others, but those of the columns `without`: "t1, gen_a".
  std::string setting(const AttackSummary& summary, const std::vector<std::string>& without) const;
  // Throws Error, naming the columns that there are, where there is no such column.
  void require_column(const std::string& column, const std::string& option) const;
};

// One figure for each combination of the fixed columns' values that has summaries.
std::vector<Figure> comparison_figures(const SummaryTable& table, const Comparison& comparison);

// The published comparisons whose compared column has at least two values.
std::vector<Figure> published_figures(const SummaryTable& table);

}  // namespace palimpsest::report
