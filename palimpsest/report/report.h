// Makes a report with tables and figures from scores files and run folders. Everything is computed
// before anything is written, so bad input leaves no files behind.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/report/attack_summary.h"
#include "palimpsest/report/epsilon_report.h"
#include "palimpsest/report/figures/figure.h"
#include "palimpsest/report/result_table.h"
#include "palimpsest/report/run_results.h"
#include "palimpsest/report/run_table.h"
#include "palimpsest/report/scores_file.h"
#include "palimpsest/stat/bootstrap.h"

namespace palimpsest::report {

// A comparison figure. Some columns of the scores are fixed, one is compared along the x axis, and
// another gives the colours.
struct Comparison {
  std::string compare;           // the column along the x axis
  std::vector<std::string> fix;  // the fixed columns; one figure per combination of their values
  std::string marker;            // the column that gives the colours
};

// The comparisons that TAPAS publishes. They compare generators, attacks, data sets or targets,
// with the other columns fixed.
std::span<const Comparison> published_comparisons();

// The ROC curves of a report.
struct RocReportOptions {
  // If set, each value of this column gets its own figure. Empty: one figure.
  std::string disaggregate_by = {};
  std::string curve_label = "attack";  // the column that names the curves
  // The sides of the squares of the ROC plane that are shown, each in (0, 1]; 1 shows the whole
  // plane. A side below 1 gives two figures: one of the corner at (0, 0), one of that at (1, 1).
  std::vector<double> zooms = {1};
  std::vector<double> epsilons = {};  // for each of these, the bound of ε-DP is drawn as a line
  double confidence = 0.95;           // of the confidence band
};

struct ReportOptions {
  std::string metrics = "all";                     // see select_summary_metrics()
  std::optional<std::string> positive_label = {};  // see SummaryOptions
  // For the intervals of the summaries' metrics; with resamples = 0, no intervals are computed.
  // `confidence` also applies to the intervals and tests of runs, `seed` to the permutations, and
  // `threads` to the whole report.
  stat::BootstrapOptions bootstrap = {};
  // For runs whose files say nothing about clusters, see RunReadOptions.
  attack::ClusterChoice clusters = {};
  EpsilonReportOptions epsilon = {};  // its validation split is also used to choose thresholds
  std::optional<Comparison> comparison = {};  // if set, used instead of published_comparisons()
  RocReportOptions roc = {};
  attack::AttackTable attacks = attack::default_attack_table();  // see RunReadOptions
  // For readers: a heading for the page, and names for the models of the runs, in the order of the
  // runs. A run for which no name is given keeps its own.
  std::string title = {};
  std::vector<std::string> model_names = {};
};

// The options with which the runs of such a report are read.
RunReadOptions read_options(const ReportOptions& options);

struct Report {
  std::vector<std::string> columns;  // of the summaries' values
  std::vector<size_t> metrics;       // positions in summary_metrics()
  std::vector<AttackSummary> summaries;
  EpsilonReport epsilon;
  std::vector<RunResults> runs;
  std::string title;       // as the options give it; may be empty
  std::string model_name;  // the name that the options give to the first run; may be empty
  // Path of mia.json, if the report is about a single audit.
  std::optional<std::filesystem::path> audit;
  RunTable run_table;  // models × metrics; empty without runs
  std::vector<Figure> figures;
  std::vector<std::string> notes;  // what a reader has to know
};

// Each input is a scores file or the folder of a run. Throws Error on bad input or options.
Report make_report(const std::vector<std::filesystem::path>& inputs, const ReportOptions& options);

// The input of a report that is already in memory.
struct ReportInput {
  std::vector<RunResults> runs = {};       // see run_of() of run_results.h and read_options()
  std::optional<ScoresTable> scores = {};  // absent: read from the scores files of the runs
};
Report report_on(ReportInput input, const ReportOptions& options);

// Whether the summaries have the metric effective_epsilon, and the explanation that is shown beside
// it. Tables show a negative effective epsilon as 0.
bool shows_effective_epsilon(const Report& report);
std::string effective_epsilon_note();

// The content of metrics.csv, one row per summary. A row has the summary's columns, the metrics
// with their intervals, the numbers of rows, positives and negatives, the threshold if one was
// chosen, and what effective_epsilon assumes.
ResultTable metrics_table(const Report& report);

// metrics_table() for people: columns that have the same value in all rows are left out.
ResultTable main_table(const Report& report);

// Writes the files of the report into the folder, which is created if it does not exist. Scores
// give metrics.csv and effective_epsilon.csv, runs give models.csv, and each figure gives
// figures/NAME.svg and figures/NAME.vl.json. Returns the names of the files. Throws SystemError if
// writing fails.
std::vector<std::string> write_report(const Report& report, const std::filesystem::path& folder,
                                      TableFormat csv = TableFormat::kCsv);

}  // namespace palimpsest::report
