#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/base/internal/output_lock.h"
#include "palimpsest/base/internal/table.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/gates.h"
#include "palimpsest/cli/interruption.h"
#include "palimpsest/cli/json_output.h"
#include "palimpsest/cli/mia_output.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/cli/pack.h"
#include "palimpsest/cli/results.h"
#include "palimpsest/cli/terminal.h"
#include "palimpsest/report/internal/table_layout.h"
#include "palimpsest/report/page/page.h"
#include "palimpsest/report/page/report_page.h"
#include "palimpsest/report/report.h"

namespace palimpsest::cli {
namespace {

struct ReportCommand {
  std::vector<std::string> inputs;
  report::ReportOptions report;
  report::Comparison comparison;
  std::string heuristic = "cp";
  std::string split = "stratified";
  std::string format = "table";
  bool json = false;
  std::vector<std::string> columns;  // of the printed table; empty: all
  std::string preset;
  std::string models_as = "rows";
  std::string intervals = "auto";
  bool wide = false;
  bool csv_safe = false;
  std::string out;
  Gates gates;
};

// The value that stands beside the name in a list of choices.
template <class Value>
Value choose(const std::string& option, const std::string& name,
             const std::vector<std::pair<std::string, Value>>& choices) {
  std::string expected;
  for (const auto& [candidate, value] : choices) {
    if (candidate == name) return value;
    expected += (expected.empty() ? "" : " or ") + candidate;
  }
  throw Error(
      {.what = fmt::format("'{}' is unknown", name), .where = option, .expected = expected});
}

// The columns of the terminal, where no line may be wider; nullopt in pipes and with --wide.
std::optional<size_t> width_limit(const ReportCommand& command) {
  return command.wide ? std::nullopt : terminal_columns();
}

// A table for people. Where it does not fit, intervals are left out; where that does not help,
// columns follow below each other.
void print_aligned(const report::ResultTable& table, const ReportCommand& command) {
  const std::string whole = report::format_table(table, report::TableFormat::kTable);
  const std::optional<size_t> width = width_limit(command);
  if (!width || report::widest_line(whole) <= *width) return fmt::print("{}", whole);
  if (command.intervals == "auto" && report::has_intervals(table)) {
    const std::string narrow =
        report::format_table(report::without_intervals(table), report::TableFormat::kTable);
    if (report::widest_line(narrow) <= *width) {
      fmt::print(
          "{}\n"
          "Intervals are left out, because they do not fit into {} columns. --wide shows them.\n",
          narrow, *width);
      return;
    }
  }
  fmt::print("{}", report::format_blocks(table, *width));
}

// The table of runs, or else of scores, as the options ask for it.
report::ResultTable chosen_table(const report::Report& report, const ReportCommand& command) {
  report::ResultTable table = report.run_table.runs.empty()
                                  ? report::main_table(report)
                                  : report::to_result_table(report.run_table);
  if (!command.columns.empty()) table = report::with_columns(table, command.columns);
  if (!command.preset.empty()) table = report::with_preset(table, command.preset);
  const bool as_papers_print = command.intervals == "auto" && !command.preset.empty();
  if (command.intervals == "no" || as_papers_print) table = report::without_intervals(table);
  if (command.models_as == "columns") table = report::transposed(table);
  return table;
}

void print_epsilon(const report::EpsilonReport& epsilon, const ReportCommand& command) {
  if (epsilon.threat_models.empty()) return;
  fmt::print("\nEffective epsilon (attack and threshold were chosen on a validation part)\n");
  print_aligned(report::short_epsilon_table(epsilon), command);
  fmt::print("Assumes: {}.\n", epsilon.threat_models[0].estimates[0].assumption);
}

void print_summary_notes(const report::Report& report) {
  if (report::shows_effective_epsilon(report)) fmt::print("{}\n", report::effective_epsilon_note());
}

// Every run's own sentence and red flags, without cautions, as an audit prints them.
void print_answers(const report::Report& report, const ReportCommand& command) {
  const std::optional<size_t> width = width_limit(command);
  const auto print_paragraph = [&](const std::string& text) {
    fmt::print("\n{}",
               without_controls(width ? wrapped(text, std::max<size_t>(*width, 40), 2) : text));
  };
  for (size_t r = 0; r < report.runs.size(); ++r) {
    const report::RunResults& run = report.runs[r];
    if (run.answer) print_paragraph(fmt::format("{}: {}\n", run.name, run.answer->sentence));
    for (const attack::RedFlag& flag : report.run_table.flags[r]) {
      if (!flag.is_caution)
        print_paragraph(fmt::format("{}: RED FLAG: {}. {}\n", run.name, flag.title, flag.text));
    }
  }
}

// The meaning of the marks, as a comment where the format has comments.
std::string legend(const report::Report& report, report::TableFormat format) {
  const std::string meaning = report::marks_legend(report.run_table);
  switch (format) {
    case report::TableFormat::kTable:
    case report::TableFormat::kMarkdown:
      return fmt::format("\n✱ {}\n", without_controls(meaning));
    case report::TableFormat::kLatex: {
      std::string comment = without_controls(meaning);
      std::ranges::replace(comment, '\n', ' ');
      return fmt::format("% * {}\n", comment);
    }
    default:
      return "";
  }
}

void print_table(const report::Report& report, const ReportCommand& command,
                 report::TableFormat format) {
  const report::ResultTable table = chosen_table(report, command);
  const bool has_runs = !report.run_table.runs.empty();
  const bool has_legend = has_runs && report::has_marks(table);
  if (format == report::TableFormat::kJson) return print_json(report::format_table(table, format));
  if (format != report::TableFormat::kTable)
    return print_text(report::format_table(table, format) +
                      (has_legend ? legend(report, format) : ""));
  print_aligned(table, command);
  if (has_legend) fmt::print("{}", legend(report, format));
  const bool chosen = !command.columns.empty() || !command.preset.empty();
  if (has_runs) {
    if (!chosen) print_answers(report, command);
  } else {
    print_summary_notes(report);
  }
  if (chosen) return;  // the table that was asked for, and nothing else
  if (has_runs && !report.summaries.empty()) {
    fmt::print("\n");
    print_aligned(report::main_table(report), command);
    print_summary_notes(report);
  }
  print_epsilon(report.epsilon, command);
}

// What the page says about its own making.
std::vector<report::PageEntry> run_record(const ReportCommand& command) {
  return {{"palimpsest", PALIMPSEST_VERSION},
          {"inputs", fmt::format("{}", fmt::join(command.inputs, ", "))},
          {"metrics", command.report.metrics},
          {"heuristic, split", command.heuristic + ", " + command.split},
          {"bootstrap resamples", std::to_string(command.report.bootstrap.resamples)},
          {"confidence", fmt::format("{:g}", command.report.bootstrap.confidence)},
          {"seed", std::to_string(command.report.bootstrap.seed)}};
}

evidence::Provenance report_provenance(const ReportCommand& command,
                                       const ProgramContext& context) {
  evidence::Provenance provenance = begin_provenance("report", context);
  provenance.inputs = evidence::report_inputs(command.inputs, {.cache = hash_cache()});
  for (const report::PageEntry& entry : run_record(command)) {
    if (entry.title != "palimpsest" && entry.title != "inputs")
      provenance.settings.push_back({entry.title, entry.text});
  }
  provenance.started =
      evidence::first_start(command.out, evidence::identity_of(provenance), utc_now(), false);
  return provenance;
}

// The page says the same, except where it comes from.
void write_pack(const report::Report& report, const ReportCommand& command, report::TableFormat csv,
                const ProgramContext& context) {
  // Made before anything is written: bad input leaves nothing behind.
  const evidence::Provenance provenance = report_provenance(command, context);
  report::PageData page = report::page_of(report, run_record(command));
  page.provenance = evidence::provenance_entries(provenance);
  const std::string html = report::page_to_html(page);
  std::vector<std::string> files = report::write_report(report, command.out, csv);
  write_file(std::filesystem::path(command.out) / "report.html", html);
  log_info("wrote report.html and {} files to {}", files.size(), command.out);
  std::vector<std::string> entries = {"report.html"};
  for (const std::string& file : files) entries.push_back(file.substr(0, file.find('/')));
  finish_pack(command.out, provenance, entries);
}

void run(ReportCommand& command, const Command& line, const ProgramContext& context,
         const std::stop_token& stop) {
  check_gates(command.gates);
  check_clusters(line, command.report.clusters);
  command.report.bootstrap.stop = stop;
  check_threads(command.report.bootstrap.threads);
  const report::TableFormat csv =
      command.csv_safe ? report::TableFormat::kCsvSafe : report::TableFormat::kCsv;
  report::TableFormat format = report::table_format(command.json ? "json" : command.format);
  if (format == report::TableFormat::kCsv) format = csv;
  stat::TwoStepOptions& two_step = command.report.epsilon.two_step;
  two_step.heuristic = choose<stat::EpsilonHeuristic>(
      "--heuristic", command.heuristic,
      {{"cp", stat::EpsilonHeuristic::kClopperPearson}, {"ratio", stat::EpsilonHeuristic::kRatio}});
  two_step.split =
      choose<stat::ValidationSplit>("--split", command.split,
                                    {{"stratified", stat::ValidationSplit::kStratified},
                                     {"prefix", stat::ValidationSplit::kPrefix}});
  two_step.seed = command.report.bootstrap.seed;
  command.report.roc.confidence = command.report.bootstrap.confidence;
  if (!command.comparison.compare.empty()) {
    command.report.comparison = command.comparison;
  } else if (!command.comparison.fix.empty() || !command.comparison.marker.empty()) {
    throw Error(
        {.what = "--fix and --marker need --compare", .hint = "say which column is compared"});
  }
  std::optional<OutputLock> lock;
  if (!command.out.empty()) {
    lock = OutputLock::of_folder(command.out, "palimpsest report");
    evidence::require_own_folder(command.out, "report");
    require_no_input_in(command.out, {"metrics.csv", "effective_epsilon.csv", "models.csv"},
                        command.inputs);
  }
  const report::Report report =
      report::make_report({command.inputs.begin(), command.inputs.end()}, command.report);
  // The first run is the one in question; the others are there to compare it with.
  const bool has_answer = !report.runs.empty() && report.runs.front().answer;
  // Both throw before anything is written.
  chosen_table(report, command);
  if (!has_answer) refuse_without_answer(command.gates, command.inputs.front());
  if (stop.stop_requested()) throw Stopped();
  if (!command.out.empty()) write_pack(report, command, csv, context);
  for (const std::string& note : report.notes) log_warning("{}", note);
  print_table(report, command, format);
  pass_gates(command.gates,
             has_answer ? std::optional(report.runs.front().answer->verdict) : std::nullopt,
             report.runs.empty() ? "the report is not about runs"
                                 : "it is that of " + report.runs.front().name);
}

void add_comparison_options(Command app, ReportCommand& command) {
  app.option("--compare", command.comparison.compare,
             "Column to compare, instead of the usual comparisons");
  app.option("--fix", command.comparison.fix, "Columns that are held fixed within a figure")
      .separated_by(',');
  app.option("--marker", command.comparison.marker, "Column that gives the colours");
  report::RocReportOptions& roc = command.report.roc;
  app.option("--disaggregate-by", roc.disaggregate_by,
             "Draw one figure of ROC curves for each value of this column");
  app.option("--curve-label", roc.curve_label, "Column that names the ROC curves").show_default();
  app.option(
         "--zoom", roc.zooms,
         "Sides of the squares of the ROC plane to draw, each in (0, 1]; below 1: one figure of "
         "the corner at (0, 0) and one of that at (1, 1)")
      .separated_by(',')
      .show_default();
  app.option("--epsilon-line", roc.epsilons,
             "Draw the bound of epsilon-differential privacy for each of these epsilons")
      .separated_by(',');
}

void add_statistics_options(Command app, ReportCommand& command) {
  stat::BootstrapOptions& bootstrap = command.report.bootstrap;
  stat::TwoStepOptions& two_step = command.report.epsilon.two_step;
  app.option("--metrics", command.report.metrics,
             "Comma-separated metrics of the summaries, or all")
      .show_default();
  app.option("--bootstrap", bootstrap.resamples,
             "Bootstrap resamples for the 95% intervals of scores files' metrics; 0: no such "
             "intervals")
      .show_default();
  app.option("--confidence", two_step.confidence_levels,
             "Confidence levels of the effective epsilon")
      .separated_by(',')
      .show_default();
  app.option("--validation-split", two_step.validation_split,
             "Share of the rows on which attack and threshold are chosen")
      .show_default();
  app.option("--split", command.split, "How that part is drawn: stratified, or prefix")
      .completes({"stratified", "prefix"})
      .show_default();
  app.option("--heuristic", command.heuristic,
             "How attack and threshold are chosen: cp (largest "
             "Clopper-Pearson lower bound) or ratio (largest "
             "ratio of rates)")
      .completes({"cp", "ratio"})
      .show_default();
  app.option("--delta", command.report.epsilon.delta,
             "Delta of every estimate of epsilon; 0 leaves the Gaussian ones out")
      .show_default();
  app.flag("--epsilon", command.report.epsilon.single_models,
           "Estimate the effective epsilon even if no column target_id names a target, as for the "
           "scores of one audited model; the assumption is then probably false");
  app.option("--seed", bootstrap.seed, "Seed of the bootstrap, the split and the permutation tests")
      .show_default();
  app.option("--threads", bootstrap.threads, "Number of threads; 0: one per core").show_default();
  app.option("--positive-label", command.report.positive_label,
             "The label that is positive; all others are negative");
}

void add_cluster_options(Command app, ReportCommand& command) {
  app.option("--cluster-size", command.report.clusters.size,
             "For logs that do not say which examples belong together: blocks of this many "
             "consecutive ones do (TOFU: 20 questions per author)");
  app.flag("--independent", command.report.clusters.independent,
           "For logs that do not say which examples belong together: all are independent");
}

void add_table_options(Command app, ReportCommand& command) {
  app.option("--format", command.format,
             "Format of the printed table: table, markdown, latex (with booktabs), csv or json")
      .completes({"table", "markdown", "latex", "csv", "json"})
      .show_default();
  app.flag("--json", command.json, "The same as --format json");
  Option columns = app.option("--columns", command.columns,
                              "Only these columns, in this order: forget_quality,model_utility")
                       .separated_by(',');
  std::vector<std::string> presets;
  for (const report::TablePreset& preset : report::table_presets()) presets.push_back(preset.name);
  app.option("--preset", command.preset,
             fmt::format("The columns that papers on a benchmark print, without intervals: {}",
                         fmt::join(presets, " or ")))
      .completes(presets)
      .excludes(columns);
  app.option("--models-as", command.models_as, "Whether models are rows or columns")
      .one_of({"rows", "columns"})
      .show_default();
  app.option("--intervals", command.intervals,
             "Whether intervals are shown: yes, no, or auto: where they fit, and not with --preset")
      .one_of({"auto", "yes", "no"})
      .show_default();
  app.flag("--wide", command.wide,
           "Allow lines wider than the terminal, instead of leaving out intervals or putting "
           "columns below each other");
}

}  // namespace

void add_report_command(Command& program, const ProgramContext& context) {
  Command app = program.subcommand(
      "report", "Make tables and figures from scores files and from the folders of runs");
  auto command = std::make_shared<ReportCommand>();
  command->report.attacks = context.tables.attacks;
  app.option("INPUT", command->inputs,
             "Scores files (.csv) and folders that `mia --out` or `eval` wrote")
      .required();
  add_statistics_options(app.group("Statistics"), *command);
  add_cluster_options(app.group("Examples that belong together"), *command);
  add_comparison_options(app.group("Figures of scores files"), *command);
  add_table_options(app.group("The printed table"), *command);
  Command output = app.group("Output");
  output.flag("--csv-safe", command->csv_safe,
              "Put an apostrophe before names in CSV files that begin with = + - @ or a tab, which "
              "a spreadsheet would evaluate");
  output.option("--title", command->report.title, "Heading of the page, such as a case number");
  output
      .option(
          "--model-name", command->report.model_names,
          "Names for the models in the report, comma-separated, in the order of the folders, the "
          "model in question first (default: the last part of each path)")
      .separated_by(',');
  output.option(
      "--out", command->out,
      "Folder for report.html, metrics.csv, effective_epsilon.csv, models.csv and figures/");
  add_gate_options(app, command->gates);
  app.action([command, app, &context] {
    interruptible(AfterStop::kStartsOver,
                  [&](const std::stop_token& stop) { run(*command, app, context, stop); });
  });
}

}  // namespace palimpsest::cli
