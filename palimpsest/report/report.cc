#include "palimpsest/report/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "palimpsest/base/error.h"
#include "palimpsest/report/internal/chart/palette.h"
#include "palimpsest/report/internal/report_figures.h"
#include "palimpsest/report/internal/summary_bootstrap.h"
#include "palimpsest/report/internal/written_results.h"
#include "palimpsest/report/scores_file.h"

namespace palimpsest::report {
namespace {

// The columns that the options ask for beside the metadata.
std::vector<std::string> asked_columns(const ReportOptions& options) {
  std::vector<std::string> columns;
  auto add = [&](const std::string& name) {
    const bool metadata = std::find(std::begin(kMetadataColumns), std::end(kMetadataColumns),
                                    name) != std::end(kMetadataColumns);
    if (!name.empty() && !metadata && name != "run") columns.push_back(name);
  };
  if (options.comparison) {
    add(options.comparison->compare);
    for (const std::string& name : options.comparison->fix) add(name);
    add(options.comparison->marker);
  }
  add(options.roc.disaggregate_by);
  add(options.roc.curve_label);
  return columns;
}

// label, score and prediction are the data themselves.
void require_group_columns(const std::vector<std::string>& columns) {
  for (const std::string& name : columns) {
    if (name != "label" && name != "score" && name != "prediction") continue;
    throw Error({.what = fmt::format("the column '{}' cannot tell settings apart", name),
                 .hint = "name a column such as attack, generator or one of your own"});
  }
}

// Scores of a single model are no data for an epsilon: "all" leaves it out, unless it is asked for.
void leave_out_epsilon(const ScoresTable& table, const ReportOptions& options, Report& report) {
  if (options.epsilon.single_models || options.metrics != "all") return;
  const bool any_target = std::ranges::any_of(table.attacks, [&](const AttackRows& rows) {
    return has_target(table.columns, rows.values);
  });
  if (any_target) return;
  std::erase_if(report.metrics, [](size_t metric) {
    return summary_metrics()[metric].name == "effective_epsilon";
  });
}

// A run's AUC has one interval, wherever it stands.
void take_intervals_of_runs(Report& report) {
  const SummaryTable table{report.columns, report.summaries, report.metrics};
  for (AttackSummary& summary : report.summaries) {
    const std::string name = std::string(kAttackPrefix) + table.value(summary, "attack");
    const auto run = std::ranges::find(report.runs, table.value(summary, "run"), &RunResults::name);
    if (run == report.runs.end()) continue;
    const auto metric = std::ranges::find(run->metrics, name, &RunMetric::name);
    if (metric == run->metrics.end() || !metric->is_auc()) continue;
    for (size_t m = 0; m < report.metrics.size(); ++m) {
      if (summary_metrics()[report.metrics[m]].name == "auc")
        summary.metrics[m].interval = metric->interval;
    }
  }
}

void note_clusters(Report& report, const ReportOptions& options) {
  if (options.clusters.independent || options.clusters.is_given()) return;
  std::vector<std::string> names;
  for (const RunResults& run : report.runs) {
    const bool has_examples = std::ranges::any_of(run.metrics, [](const RunMetric& metric) {
      return metric.is_auc() || !metric.by_index.empty();
    });
    if (has_examples && run.cluster_name.empty() && !run.answer) names.push_back(run.name);
  }
  if (names.empty()) return;
  report.notes.push_back(
      fmt::format("the examples of {} count as independent. If some belong together (TOFU: 20 "
                  "questions per author), intervals and tests are too sure of themselves: give "
                  "--cluster-size 20, or --independent if none do",
                  fmt::join(names, ", ")));
}

void note_undefined(Report& report) {
  int64_t one_class = 0;
  int64_t thresholds = 0;
  for (const AttackSummary& summary : report.summaries) {
    if (!summary.labels.empty() && !summary.scores.has_both_classes()) ++one_class;
    if (summary.threshold) ++thresholds;
  }
  if (one_class > 0) {
    report.notes.push_back(fmt::format(
        "{} of {} summaries have labels of one class only; what needs both is undefined", one_class,
        report.summaries.size()));
  }
  if (thresholds > 0) {
    report.notes.push_back(fmt::format(
        "{} of {} summaries have no predictions: accuracy and rates are at a threshold chosen on a "
        "validation part, where TPR - FPR is largest, and measured on the rest",
        thresholds, report.summaries.size()));
  }
}

// An attack that shows nothing on the validation part is chosen like any other, at a threshold that
// means nothing; its upper end is then easily read as a promise.
void note_empty_bounds(Report& report) {
  const auto& models = report.epsilon.threat_models;
  const auto empty = std::ranges::count_if(models, [](const auto& model) {
    return !model.estimates.empty() && model.estimates[0].low == 0;
  });
  if (empty == 0) return;
  report.notes.push_back(fmt::format(
      "the lower bound of epsilon is 0 for {} of {} threat models: the attacks show nothing there, "
      "and the upper end, which is of the chosen attack and threshold, promises nothing",
      empty, models.size()));
}

ScoresTable read_tables(const std::vector<ScoresInput>& inputs, const ReportOptions& options) {
  const std::vector<std::string> further = asked_columns(options);
  require_group_columns(further);
  return read_scores(inputs, further);
}

void add_summaries(Report& report, ScoresTable table, const ReportOptions& options) {
  const stat::TwoStepOptions& split = options.epsilon.two_step;
  report.columns = table.columns;
  leave_out_epsilon(table, options, report);
  report.summaries = summarize_attacks(table, {.metrics = report.metrics,
                                               .positive_label = options.positive_label,
                                               .validation_split = split.validation_split,
                                               .split = split.split,
                                               .seed = split.seed,
                                               .threads = options.bootstrap.threads});
  table = {};  // the summaries hold the scores
  if (options.bootstrap.resamples > 0)
    add_bootstrap_intervals(report.summaries, report.metrics, options.bootstrap);
  take_intervals_of_runs(report);
  EpsilonReportOptions epsilon = options.epsilon;
  epsilon.threads = options.bootstrap.threads;
  epsilon.asked_for =
      epsilon.asked_for || (options.metrics != "all" && shows_effective_epsilon(report));
  report.epsilon = epsilon_report(report.summaries, report.columns, epsilon);
  note_undefined(report);
  note_empty_bounds(report);
  report.notes.insert(report.notes.end(), report.epsilon.notes.begin(), report.epsilon.notes.end());
}

void require_comparison(const SummaryTable& table, const Comparison& comparison) {
  table.require_column(comparison.compare, "--compare");
  for (const std::string& name : comparison.fix) table.require_column(name, "--fix");
  if (!comparison.marker.empty()) table.require_column(comparison.marker, "--marker");
}

void add_figures(Report& report, const ReportOptions& options) {
  auto add = [&](std::vector<Figure> figures) {
    for (Figure& figure : figures) report.figures.push_back(std::move(figure));
  };
  const SummaryTable table{report.columns, report.summaries, report.metrics};
  if (options.comparison) require_comparison(table, *options.comparison);
  if (!report.summaries.empty()) {
    const bool binary = !report.summaries[0].labels.empty();
    if (binary) add(roc_figures(table, options.roc));
    if (binary) add(overview_figures(table));
    add(options.comparison ? comparison_figures(table, *options.comparison)
                           : published_figures(table));
  }
  add(run_figures(report.runs, report.run_table));
  share_styles(report.figures);
  // Long names are cut, so two may be the same.
  std::set<std::string> names;
  for (Figure& figure : report.figures) {
    const std::string name = figure.name;
    for (int copy = 2; !names.insert(figure.name).second; ++copy)
      figure.name = fmt::format("{}-{}", name, copy);
  }
}

void require_valid(const ReportOptions& options) {
  stat::require_resamples(options.bootstrap.resamples, 0);
  stat::require_confidence(options.bootstrap.confidence);
  attack::require_valid(options.clusters);
}

// An audit's scores file that was changed is noticed where it is given without its folder, too.
void require_written(const std::filesystem::path& scores) {
  const std::filesystem::path folder = scores.has_parent_path() ? scores.parent_path() : ".";
  WrittenResults(folder).require(scores.filename().string());
}

// The rows of a scores file are pooled: a file that is given twice counts twice, which is rarely
// meant.
void note_repetitions(const std::vector<std::filesystem::path>& inputs, Report& report) {
  std::set<std::filesystem::path> seen;
  for (const std::filesystem::path& input : inputs) {
    std::error_code failed;
    const std::filesystem::path whole = std::filesystem::weakly_canonical(input, failed);
    if (seen.insert(failed ? input : whole).second) continue;
    report.notes.push_back(
        fmt::format("{} is given more than once and counts each time", input.string()));
  }
}

// Two models of one name could not be told apart anywhere.
void name_models(const ReportOptions& options, Report& report) {
  report.title = options.title;
  const std::vector<std::string>& names = options.model_names;
  if (names.empty()) return;
  if (names.size() > report.runs.size()) {
    throw Error({.what = "there are more names than models",
                 .expected = fmt::format("at most {}", report.runs.size()),
                 .found = fmt::format("{}", fmt::join(names, ", ")),
                 .hint = "give one name per folder, separated by commas"});
  }
  report.model_name = names[0];
  std::set<std::string> seen;
  for (size_t r = 0; r < report.runs.size(); ++r) {
    if (r < names.size()) report.runs[r].name = names[r];
    const std::string& name = report.runs[r].name;
    if (name.empty() || !seen.insert(name).second) {
      throw Error(
          {.what = name.empty() ? "a model has an empty name" : "two models have the same name",
           .found = "'" + name + "'",
           .hint = "give every folder a name of its own"});
    }
  }
}

// `files` of scores and those that the runs have, unless there is a table.
Report report_of(ReportInput input, std::vector<ScoresInput> files, const ReportOptions& options) {
  Report report;
  report.metrics = select_summary_metrics(options.metrics);
  report.runs = std::move(input.runs);
  name_models(options, report);
  for (const RunResults& run : report.runs) {
    if (run.scores) files.push_back({*run.scores, run.name});
  }
  if (!report.runs.empty()) {
    report.run_table =
        compare_runs(report.runs, options.bootstrap.confidence, options.bootstrap.seed);
    report.notes = report.run_table.notes;
    for (const RunResults& run : report.runs) {
      for (const std::string& note : run.notes)
        report.notes.push_back(fmt::format("{}: {}", run.name, note));
    }
    note_clusters(report, options);
  }
  if (!input.scores && !files.empty()) input.scores = read_tables(files, options);
  if (input.scores) add_summaries(report, std::move(*input.scores), options);
  add_figures(report, options);
  return report;
}

}  // namespace

RunReadOptions read_options(const ReportOptions& options) {
  return {.confidence = options.bootstrap.confidence,
          .clusters = options.clusters,
          .attacks = options.attacks};
}

Report make_report(const std::vector<std::filesystem::path>& inputs, const ReportOptions& options) {
  if (inputs.empty())
    throw Error("there is nothing to report on: give scores files or run folders");
  std::vector<std::filesystem::path> folders;
  std::vector<ScoresInput> scores;
  for (const std::filesystem::path& input : inputs) {
    std::error_code ignored;  // what is no folder is read as a file, which says what is wrong
    if (std::filesystem::is_directory(input, ignored)) {
      folders.push_back(input);
    } else {
      scores.push_back({input});
    }
  }
  require_valid(options);
  for (const ScoresInput& input : scores) require_written(input.path);
  Report report =
      report_of({.runs = read_runs(folders, read_options(options))}, std::move(scores), options);
  note_repetitions(inputs, report);
  if (inputs.size() == 1 && report.runs.size() == 1) report.audit = report.runs[0].audit;
  return report;
}

Report report_on(ReportInput input, const ReportOptions& options) {
  if (input.runs.empty() && !input.scores)
    throw Error("there is nothing to report on: give at least one run, or scores");
  require_valid(options);
  return report_of(std::move(input), {}, options);
}

}  // namespace palimpsest::report
