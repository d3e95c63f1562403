#include "palimpsest/cli/mia_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "palimpsest/attack/mia_files.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/cli/json_output.h"
#include "palimpsest/cli/pack.h"
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

void add_statistics_options(Command command, attack::MiaOptions& mia) {
  command.option("--bootstrap", mia.bootstrap.resamples,
                 "Number of bootstrap resamples, for additional intervals (needs 50 clusters in "
                 "each set)");
  command
      .option(
          "--confidence", mia.bootstrap.confidence,
          "Confidence of the intervals, except the adjusted ones (97%) and those compared with the "
          "margin (90%)")
      .show_default();
  command
      .option("--fpr", mia.fprs, "False positive rates at which to report the true positive rate")
      .separated_by(',')
      .show_default();
  command.option("--seed", mia.bootstrap.seed, "Seed of all random draws").show_default();
  command
      .option("--group-key", mia.group_keys,
              "Also give results for each value of these keys of the records (in traces: of "
              "'groups'); implies --groups")
      .separated_by(',');
  command.flag("!--no-blind-baseline", mia.blind_baseline,
               "Do not test whether the texts alone tell the sets apart");
  command
      .option("--fdr", mia.false_discovery_rate,
              "False discovery rate among the records reported as recognised")
      .show_default();
}

// What counts as one, and what the answer is drawn from.
void add_answer_options(Command command, attack::MiaOptions& mia) {
  command.option("--cluster-key", mia.clusters.key,
                 "Records with the same value of this key belong together (an author, a document)");
  command.option("--cluster-size", mia.clusters.size,
                 "Blocks of this many consecutive records belong together (TOFU: 20)");
  command.flag("--independent", mia.clusters.independent,
               "All records are independent; signs that they are not are ignored");
  command
      .option("--margin", mia.margin,
              "The answer treats an AUC within this distance of 0.5 as no different from 0.5")
      .show_default();
  command.option(
      "--primary", mia.primary,
      "The one attack that decides the answer, chosen before the run; the others are only shown");
  command.flag("--allow-overlap", mia.allow_overlap,
               "Audit even if more than 5% of the texts are in both sets");
}

void add_decision_options(Command command, attack::MiaOptions& mia) {
  command.option("--cost-fp", mia.costs.false_positive,
                 "Cost of calling a holdout example a member (default: 1); also prints the "
                 "decision thresholds");
  command.option("--cost-fn", mia.costs.false_negative,
                 "Cost of missing a forget example (default: 1); also prints the decision "
                 "thresholds");
  command
      .option("--validation-split", mia.validation_split,
              "Share of the clusters on which decision thresholds are chosen")
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

template <class WriteTo>
void write_in_pieces(const std::filesystem::path& path, const WriteTo& write_to) {
  AtomicFile file(path);
  write_to([&](std::string_view piece) { file.write(piece); });
  file.commit();
}

}  // namespace

void add_mia_settings_options(Command& app, attack::MiaOptions& mia) {
  add_answer_options(app.group("The answer"), mia);
  add_statistics_options(app.group("Statistics"), mia);
  add_decision_options(app.group("Decisions"), mia);
}

void check_clusters(const Command& line, const attack::ClusterChoice& clusters) {
  if (line.given("--cluster-key") && clusters.key.empty()) {
    throw Error({.what = "the key has no name",
                 .where = "--cluster-key",
                 .hint = "name a key of the records, or leave the option out"});
  }
  if (line.given("--cluster-size") && clusters.size < 1) {
    throw Error({.what = "the size of a cluster must be at least 1",
                 .where = "--cluster-size",
                 .found = std::to_string(clusters.size)});
  }
}

void add_mia_report_options(Command& app, attack::MiaOptions& mia, MiaOutput& output) {
  add_mia_settings_options(app, mia);
  Command command = app.group("Output");
  command.flag("--groups", output.text.groups,
               "Print the AUC of short and long texts, of common and rare tokens");
  command.flag("--histograms", output.text.histograms,
               "Print a histogram of the scores of both sets for each attack");
  command.flag("--compare", output.text.compare, "Print the paired test of each pair of attacks");
  command.flag("--ascii", output.text.ascii, "Print ASCII characters only");
  command.flag("--json", output.json, "Print mia.json instead of the table");
  command.flag("--csv-safe", output.csv_safe,
               "Put an apostrophe before names in scores.csv that begin with = + - @ or a tab, "
               "which a spreadsheet would evaluate");
  command.option("--title", output.title, "Heading of the page, such as a case number");
  command.option("--model-name", output.model_name,
                 "Name of the model in the text and on the page (default: the last part of its "
                 "path)");
  command.option("--out", output.out,
                 "Folder for mia.json, scores.csv, report.html, figures and provenance.json");
  Option no_text = command.flag(
      "--no-text", output.no_text,
      "For publication: results without texts, prompts, tokens or words of the data; salted hashes "
      "replace the values of groups");
  command
      .option("--salt", output.salt,
              "File with the salt of these hashes, created if it does not exist; keep it apart "
              "from the results. Without this option, the salt is not kept")
      .needs(no_text);
  command.flag("--no-paths", output.no_paths,
               "For publication: write only the last part of each path on the command line");
}

// The page comes last of the results, and provenance.json after it: a reader who finds it finds the
// rest.
void write_mia_pack(const attack::MiaReport& report, const MiaOutput& output,
                    const attack::MiaRecord& record, const report::MiaExampleOptions& examples,
                    const MiaEvidence& evidence) {
  const std::filesystem::path out = output.out;
  make_folder(out);
  write_in_pieces(out / "mia.json", [&](const attack::TextSink& write) {
    attack::write_mia_json(report, record, write);
  });
  write_in_pieces(out / "scores.csv", [&](const attack::TextSink& write) {
    attack::write_mia_csv(report, output.csv_safe, write);
  });
  report::MiaPageOptions options{.examples = examples};
  for (const auto& [title, text] : record) options.run.push_back({title, text});
  report::PageData page = report::mia_page(report, options);
  page.provenance = evidence::provenance_entries(evidence.provenance);
  report::write_figures(page.charts, out);
  if (evidence.provenance.plan) {
    write_file(out / "plan.json", evidence.plan);
  } else {  // that of an earlier audit
    std::error_code ignored;
    std::filesystem::remove(out / "plan.json", ignored);
  }
  write_file(out / "report.html", report::page_to_html(page));
  std::vector<std::string> entries = {"mia.json", "scores.csv", "report.html", "figures"};
  if (evidence.provenance.plan) entries.emplace_back("plan.json");
  if (evidence.has_traces) entries.emplace_back("traces");
  finish_pack(out, evidence.provenance, entries);
}

void report_mia(attack::MiaReport report, const MiaOutput& output, const attack::MiaRecord& record,
                const report::MiaExampleOptions& examples, const MiaEvidence& evidence) {
  report.title = output.title;
  report.model_name = output.model_name;
  if (!output.out.empty()) write_mia_pack(report, output, record, examples, evidence);
  if (output.json) {
    print_json(attack::mia_to_json(report, record));
    log_info("{}", report.answer.sentence);
    for (const attack::RedFlag& flag : report.flags) {
      if (!flag.is_caution) log_warning("{}: {}", flag.title, flag.text);
    }
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
