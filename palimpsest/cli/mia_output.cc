#include "palimpsest/cli/mia_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "palimpsest/attack/mia_files.h"
#include "palimpsest/base/file.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/cli/json_output.h"
#include "palimpsest/cli/terminal.h"
#include "palimpsest/report/page/page.h"

namespace palimpsest::cli {
namespace {

// Whether the terminal's locale says that it is anything but UTF-8. Where nothing is said, it is.
bool is_ascii_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string locale = value;
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return locale.find("utf-8") == std::string::npos && locale.find("utf8") == std::string::npos;
  }
  return false;
}

void add_statistics_options(Command command, attack::MiaOptions& mia, MiaOutput& output) {
  command.option("--bootstrap", mia.bootstrap.resamples,
                 "Bootstrap resamples, for intervals beside the usual ones (from 50 clusters on)");
  command.option("--confidence", mia.bootstrap.confidence, "Confidence of all intervals")
      .show_default();
  command.option("--fpr", mia.fprs, "False positive rates at which to give the true positive rate")
      .separated_by(',')
      .show_default();
  command.option("--seed", mia.bootstrap.seed, "Seed of the bootstrap and of all splits")
      .show_default();
  command
      .option(
          "--group-key",
          [&](const std::vector<std::string>& keys) {
            mia.group_keys = keys;
            output.text.groups = true;
          },
          "Columns of the traces' groups to split results by; prints the groups")
      .separated_by(',');
  command.flag("!--no-blind-baseline", mia.blind_baseline,
               "Do not ask whether the texts alone tell the sets apart");
  command
      .option("--fdr", mia.false_discovery_rate,
              "False discovery rate among the records that are called recognised")
      .show_default();
}

// What counts as one, and what the answer is drawn from.
void add_answer_options(Command command, attack::MiaOptions& mia) {
  command.option("--cluster-key", mia.clusters.key,
                 "Records with the same value of this key belong together (an author, a document)");
  command.option("--cluster-size", mia.clusters.size,
                 "Blocks of so many records in file order belong together (TOFU: 20)");
  command.flag("--independent", mia.clusters.independent,
               "No two records belong together; no suspicion is raised");
  command
      .option("--margin", mia.margin,
              "Distance of an AUC from 0.5 that counts as no different, for the answer")
      .show_default();
  command.option(
      "--primary", mia.primary,
      "The one attack that answers, named before the run; the others are shown beside it");
  command.flag("--allow-overlap", mia.allow_overlap,
               "Judge although more than 5% of the texts stand in both sets");
}

void add_decision_options(Command command, attack::MiaOptions& mia, MiaOutput& output) {
  auto add_cost = [&](const char* name, double& cost, const char* meaning) {
    command.option(
        name,
        [&](double value) {
          cost = value;
          output.text.decisions = true;
        },
        meaning);
  };
  add_cost("--cost-fp", mia.costs.false_positive,
           "Cost of calling a holdout example a member (1); prints decision thresholds");
  add_cost("--cost-fn", mia.costs.false_negative,
           "Cost of missing a forget example (1); prints decision thresholds");
  command
      .option("--validation-split", mia.validation_split,
              "Share of the examples on which decision thresholds are chosen")
      .show_default();
}

// The verdict, which the text begins with, in its colour.
std::string with_colored_verdict(const std::string& text, attack::AnswerVerdict verdict) {
  using attack::AnswerVerdict;
  const size_t end = text.find('.');
  if (end == std::string::npos) return text;
  const bool is_good = verdict == AnswerVerdict::kEquivalent;
  const bool is_open =
      verdict == AnswerVerdict::kNotDecided || verdict == AnswerVerdict::kDetectableWithinMargin;
  const Color color = is_good ? Color::kGreen : is_open ? Color::kYellow : Color::kRed;
  return colored(text.substr(0, end), color, stdout) + text.substr(end);
}

// The page comes last: a reader who finds it finds the rest.
void write_files(const attack::MiaReport& report, const std::string& json, const MiaOutput& output,
                 const report::MiaPageOptions& options) {
  const std::filesystem::path out = output.out;
  make_folder(out);
  write_file(out / "mia.json", json);
  write_file(out / "scores.csv", attack::mia_to_csv(report, output.csv_safe));
  const report::PageData page = report::mia_page(report, options);
  report::write_figures(page.charts, out);
  write_file(out / "report.html", report::page_to_html(page));
}

}  // namespace

void add_mia_report_options(Command& app, attack::MiaOptions& mia, MiaOutput& output) {
  add_answer_options(app.group("The answer"), mia);
  add_statistics_options(app.group("Statistics"), mia, output);
  add_decision_options(app.group("Decisions"), mia, output);
  Command command = app.group("Output");
  command.flag("--groups", output.text.groups,
               "Print the AUC of short and long texts, of common and rare tokens");
  command.flag("--histograms", output.text.histograms,
               "Print a histogram of the scores of both sets for each attack");
  command.flag("--compare", output.text.compare, "Print the paired test of every two attacks");
  command.flag("--ascii", output.text.ascii, "Print nothing beyond ASCII");
  command.flag("--json", output.json, "Print mia.json instead of the table");
  command.flag("--csv-safe", output.csv_safe,
               "In scores.csv an apostrophe stands before names that begin with = + - @ or a tab, "
               "which a spreadsheet would compute");
  command.option("--out", output.out, "Folder for mia.json, scores.csv, report.html and figures");
}

void report_mia(const attack::MiaReport& report, const MiaOutput& output,
                const attack::MiaRecord& record, const report::MiaExampleOptions& examples) {
  const std::string json =
      output.json || !output.out.empty() ? attack::mia_to_json(report, record) : "";
  if (!output.out.empty()) {
    report::MiaPageOptions page{.examples = examples};
    for (const auto& [title, text] : record) page.run.push_back({title, text});
    write_files(report, json, output, page);
  }
  if (output.json) {
    print_json(json);
    log_info("{}", report.answer.sentence);
    for (const std::string& note : report.notes) log_warning("{}", note);
  } else {
    attack::MiaTextOptions text = output.text;
    text.ascii = text.ascii || is_ascii_locale();
    fmt::print("{}",
               with_colored_verdict(attack::mia_to_text(report, text), report.answer.verdict));
  }
  if (!output.out.empty()) log_info("wrote report.html, mia.json and scores.csv to {}", output.out);
}

}  // namespace palimpsest::cli
