// A report: from scores files and run folders to tables and figures. Everything is computed first and
// written afterwards, so that bad input leaves nothing behind.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/report/attack_summary.h"
#include "palimpsest/report/comparisons.h"
#include "palimpsest/report/epsilon_report.h"
#include "palimpsest/report/figures.h"
#include "palimpsest/report/result_table.h"
#include "palimpsest/report/roc_report.h"
#include "palimpsest/report/run_results.h"
#include "palimpsest/report/run_table.h"
#include "palimpsest/stat/bootstrap.h"

namespace palimpsest {

struct ReportOptions {
  std::string metrics = "all";                     // see select_summary_metrics()
  std::optional<std::string> positive_label = {};  // see SummaryOptions
  // Of the intervals of the summaries' metrics; resamples = 0: none. Its confidence is also that of the
  // intervals and tests of runs, its seed that of the permutations.
  BootstrapOptions bootstrap = {};
  ClusterChoice clusters = {};        // for runs whose files say nothing, see RunReadOptions
  EpsilonReportOptions epsilon = {};  // its validation part also serves to choose thresholds
  std::optional<Comparison> comparison = {};  // instead of the published ones
  RocReportOptions roc = {};
  AttackTable attacks = default_attack_table();  // see RunReadOptions
};

struct Report {
  std::vector<std::string> columns;  // of the summaries' values
  std::vector<size_t> metrics;       // numbers of the metrics of the summaries
  std::vector<AttackSummary> summaries;
  EpsilonReport epsilon;
  std::vector<RunResults> runs;
  std::optional<std::filesystem::path> audit;  // mia.json, where it is all that was asked about
  RunTable run_table;                          // models × metrics; empty without runs
  std::vector<Figure> figures;
  std::vector<std::string> notes;  // what a reader has to know

  SummaryTable table() const { return {columns, summaries, metrics}; }
};

// Each input is a scores file or the folder of a run. Throws Error on bad input or options.
Report make_report(const std::vector<std::filesystem::path>& inputs, const ReportOptions& options);

// Whether the summaries have the metric effective_epsilon, and what has to be said beside it. Tables
// show it cut at 0.
bool shows_effective_epsilon(const Report& report);
std::string effective_epsilon_note();

// metrics.csv: one row per summary: its columns, the metrics with their intervals, the numbers of rows,
// positives and negatives, the threshold where one was chosen, and what effective_epsilon assumes.
ResultTable metrics_table(const Report& report);

// The part of it that people look at: columns whose value is the same in all rows left out.
ResultTable main_table(const Report& report);

// Writes metrics.csv and effective_epsilon.csv (of scores), models.csv (of runs) and
// figures/NAME.vl.json into the folder, which is made if it is not there. Returns the names of the
// files. Throws SystemError where that fails.
std::vector<std::string> write_report(const Report& report, const std::filesystem::path& folder);

}  // namespace palimpsest
