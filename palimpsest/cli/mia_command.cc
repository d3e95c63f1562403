#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "palimpsest/attack/mia.h"
#include "palimpsest/attack/mia_files.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/base/log.h"
#include "palimpsest/base/table.h"
#include "palimpsest/cli/commands.h"

namespace palimpsest::cli {
namespace {

struct MiaCommand {
  std::string forget;
  std::string holdout;
  std::string reference_forget;
  std::string reference_holdout;
  std::string attacks = "all";
  std::string out;
  bool json = false;
  AttackOptions attack;
  MiaOptions mia;
};

std::string optional_cell(const std::optional<double>& value, int decimals) {
  return value ? fmt::format("{:.{}f}", *value, decimals) : "n/a";
}

std::string interval_cell(const std::optional<Interval>& interval) {
  return interval ? format_interval(interval->low, interval->high) : "n/a";
}

void print_table(const MiaReport& report) {
  std::vector<std::string> heading = {"attack", "AUC", "bootstrap", "DeLong"};
  for (double fpr : report.fprs) heading.push_back(fmt::format("TPR@{:g}%", 100 * fpr));
  Table table(heading);
  for (const AttackOutcome& outcome : report.outcomes) {
    std::vector<std::string> row = {outcome.attack, optional_cell(outcome.auc, 3),
                                    interval_cell(outcome.auc_ci),
                                    interval_cell(outcome.auc_ci_delong)};
    for (const auto& point : outcome.tpr_at_fpr) {
      row.push_back(point ? fmt::format("{:.3f}", point->tpr) : "n/a");
    }
    table.add_row(std::move(row));
  }
  fmt::print("{} forget and {} holdout examples; intervals at {:g}%\n\n{}\n", report.forget.size(),
             report.holdout.size(), 100 * report.confidence, table.to_string());
  fmt::print(
      "AUC 1: the forget set is still recognised; 0.5: indistinguishable from unseen text, the "
      "goal;\n"
      "0: less familiar than unseen text (over-forgotten). TPR@x%: share of the forget set that "
      "is\n"
      "recognised when x% of the holdout set is wrongly taken for it.\n");
}

void run(const MiaCommand& command) {
  const AttackTable attacks = select_attacks(default_attack_table(), command.attacks);
  const auto display = progress_on(stderr);
  const TraceScores forget = score_traces(
      command.forget, attacks,
      {.attack = command.attack, .reference = command.reference_forget, .display = display.get()});
  const TraceScores holdout = score_traces(
      command.holdout, attacks,
      {.attack = command.attack, .reference = command.reference_holdout, .display = display.get()});
  const MiaReport report = mia({.attacks = attacks,
                                .forget = forget,
                                .holdout = holdout,
                                .only_possible = command.attacks == "all"},
                               command.mia);
  const std::string json = mia_to_json(report);
  if (!command.out.empty()) {
    make_folder(command.out);
    write_file(std::filesystem::path(command.out) / "mia.json", json);
    write_file(std::filesystem::path(command.out) / "scores.csv", mia_to_csv(report));
  }
  if (command.json) {
    fmt::print("{}", json);
  } else {
    print_table(report);
  }
  for (const std::string& note : report.notes) log_warning("{}", note);
  if (!command.out.empty()) log_info("wrote mia.json and scores.csv to {}", command.out);
}

}  // namespace

void add_mia_command(CLI::App& program) {
  CLI::App* app = program.add_subcommand(
      "mia", "Audit a model from traces: can the forget set still be told from unseen text?");
  auto command = std::make_shared<MiaCommand>();
  app->add_option("--forget-traces", command->forget, "Trace file of the forget set")->required();
  app->add_option("--holdout-traces", command->holdout,
                  "Trace file of text that the model never saw")
      ->required();
  CLI::Option* reference_forget =
      app->add_option("--reference-forget-traces", command->reference_forget,
                      "Trace file of the forget set under a reference model");
  CLI::Option* reference_holdout =
      app->add_option("--reference-holdout-traces", command->reference_holdout,
                      "Trace file of the unseen text under a reference model");
  reference_forget->needs(reference_holdout);
  reference_holdout->needs(reference_forget);
  app->add_option("--attacks", command->attacks,
                  "Comma-separated names with parameters if wanted, or all that the traces allow "
                  "(see `palimpsest list attacks`)")
      ->capture_default_str();
  app->add_option("-k", command->attack.k,
                  "Share of the lowest tokens for min_k and min_k_plus_plus")
      ->capture_default_str();
  app->add_option("-p", command->attack.p, "Which norm gradnorm uses: 1, 2 or inf")
      ->capture_default_str();
  app->add_option("--bootstrap", command->mia.bootstrap.resamples, "Bootstrap resamples")
      ->capture_default_str();
  app->add_option("--confidence", command->mia.bootstrap.confidence, "Confidence of all intervals")
      ->capture_default_str();
  app->add_option("--fpr", command->mia.fprs,
                  "False positive rates at which to give the true positive rate")
      ->delimiter(',')
      ->capture_default_str();
  app->add_option("--seed", command->mia.bootstrap.seed, "Seed of the bootstrap")
      ->capture_default_str();
  app->add_flag("--json", command->json, "Print mia.json instead of the table");
  app->add_option("--out", command->out, "Folder for mia.json and scores.csv");
  app->callback([command] { run(*command); });
}

}  // namespace palimpsest::cli
