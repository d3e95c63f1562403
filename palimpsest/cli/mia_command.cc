#include <fmt/format.h>

#include <memory>
#include <string>

#include "palimpsest/attack/mia.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/mia_output.h"

namespace palimpsest::cli {
namespace {

struct MiaCommand {
  std::string forget;
  std::string holdout;
  std::string reference_forget;
  std::string reference_holdout;
  std::string baseline_forget;
  std::string baseline_holdout;
  std::string attacks = "all";
  AttackOptions attack;
  MiaOptions mia;
  MiaOutput output;
};

// What the page says about its own making.
std::vector<PageEntry> run_record(const MiaCommand& command, const TraceScores& forget,
                                  const TraceScores& holdout) {
  std::vector<PageEntry> record = {{"palimpsest", PALIMPSEST_VERSION},
                                   {"forget traces", command.forget},
                                   {"holdout traces", command.holdout}};
  auto add = [&](const char* title, const std::string& text) {
    if (!text.empty()) record.push_back({title, text});
  };
  add("model", forget.header.model);
  add("forget data", forget.header.dataset);
  add("holdout data", holdout.header.dataset);
  add("reference model", forget.reference_model);
  add("baseline forget traces", command.baseline_forget);
  add("baseline holdout traces", command.baseline_holdout);
  add("attacks", command.attacks);
  add("k, p", fmt::format("{:g}, {:g}", command.attack.k, command.attack.p));
  add("seed", std::to_string(command.mia.bootstrap.seed));
  add("bootstrap resamples", std::to_string(command.mia.bootstrap.resamples));
  add("confidence", fmt::format("{:g}", command.mia.bootstrap.confidence));
  return record;
}

void run(const MiaCommand& command) {
  require_valid(command.mia);
  const AttackTable attacks = select_attacks(default_attack_table(), command.attacks);
  const auto display = progress_on(stderr);
  // A baseline model is compared with the same reference model.
  auto scored = [&](const std::string& path, const std::string& reference) {
    return score_traces(
        path, attacks,
        {.attack = command.attack, .reference = reference, .display = display.get()});
  };
  const TraceScores forget = scored(command.forget, command.reference_forget);
  const TraceScores holdout = scored(command.holdout, command.reference_holdout);
  MiaInput input{.attacks = attacks,
                 .forget = forget,
                 .holdout = holdout,
                 .only_possible = command.attacks == "all"};
  TraceScores baseline[2];
  if (!command.baseline_forget.empty()) {
    baseline[0] = scored(command.baseline_forget, command.reference_forget);
    baseline[1] = scored(command.baseline_holdout, command.reference_holdout);
    input.baseline.emplace(MiaBaseline{baseline[0], baseline[1]});
  }
  report_mia(mia(input, command.mia), command.output,
             {.examples = {.forget_traces = command.forget,
                           .holdout_traces = command.holdout,
                           .lowest_share = command.attack.k},
              .run = run_record(command, forget, holdout)});
}

// Two trace files that only make sense together: of the forget and of the holdout set.
struct TracePair {
  const char* name;  // "--reference": of --reference-forget-traces and --reference-holdout-traces
  const char* meaning;  // under which model
  std::string& forget;
  std::string& holdout;
};

void add_pair(CLI::App& app, const TracePair& pair) {
  CLI::Option* forget =
      app.add_option(fmt::format("{}-forget-traces", pair.name), pair.forget,
                     fmt::format("Trace file of the forget set under {}", pair.meaning));
  CLI::Option* holdout =
      app.add_option(fmt::format("{}-holdout-traces", pair.name), pair.holdout,
                     fmt::format("Trace file of the unseen text under {}", pair.meaning));
  forget->needs(holdout);
  holdout->needs(forget);
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
  add_pair(*app, {"--reference", "a reference model", command->reference_forget,
                  command->reference_holdout});
  add_pair(*app, {"--baseline", "a model retrained without the forget set",
                  command->baseline_forget, command->baseline_holdout});
  app->add_option("--attacks", command->attacks,
                  "Comma-separated names with parameters if wanted, or all that the traces allow "
                  "(see `palimpsest list attacks`)")
      ->capture_default_str();
  app->add_option("-k", command->attack.k,
                  "Share of the lowest tokens for min_k and min_k_plus_plus")
      ->capture_default_str();
  app->add_option("-p", command->attack.p, "Which norm gradnorm uses: 1, 2 or inf")
      ->capture_default_str();
  add_mia_report_options(*app, command->mia, command->output);
  app->callback([command] { run(*command); });
}

}  // namespace palimpsest::cli
