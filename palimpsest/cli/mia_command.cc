#include <memory>
#include <string>

#include "palimpsest/attack/mia.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/mia_output.h"

namespace palimpsest::cli {
namespace {

struct MiaCommand {
  std::string forget;
  std::string holdout;
  std::string baseline_forget;
  std::string baseline_holdout;
  std::string attacks = "all";
  AttackOptions attack;
  MiaOptions mia;
  MiaOutput output;
};

void run(const MiaCommand& command) {
  require_valid(command.mia);
  if (command.baseline_forget.empty() != command.baseline_holdout.empty()) {
    throw Error({.what = "a baseline needs the traces of both sets",
                 .hint = "give --baseline-forget-traces and --baseline-holdout-traces"});
  }
  const AttackTable attacks = select_attacks(default_attack_table(), command.attacks);
  const auto display = progress_on(stderr);
  auto scored = [&](const std::string& path) {
    return score_traces(path, attacks, command.attack, display.get());
  };
  const TraceScores forget = scored(command.forget);
  const TraceScores holdout = scored(command.holdout);
  MiaInput input{.attacks = attacks,
                 .forget = forget,
                 .holdout = holdout,
                 .only_possible = command.attacks == "all"};
  TraceScores baseline[2];
  if (!command.baseline_forget.empty()) {
    baseline[0] = scored(command.baseline_forget);
    baseline[1] = scored(command.baseline_holdout);
    input.baseline.emplace(MiaBaseline{baseline[0], baseline[1]});
  }
  report_mia(mia(input, command.mia), command.output);
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
  app->add_option(
         "--attacks", command->attacks,
         "Comma-separated names, or all that the traces allow (see `palimpsest list attacks`)")
      ->capture_default_str();
  app->add_option("-k", command->attack.k,
                  "Share of the lowest tokens for min_k and min_k_plus_plus")
      ->capture_default_str();
  app->add_option("--baseline-forget-traces", command->baseline_forget,
                  "Traces of a model retrained without the forget set, on the forget set");
  app->add_option("--baseline-holdout-traces", command->baseline_holdout,
                  "Traces of that model on the holdout set");
  add_mia_report_options(*app, command->mia, command->output);
  app->callback([command] { run(*command); });
}

}  // namespace palimpsest::cli
