#include <fmt/format.h>

#include <memory>
#include <string>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/interruption.h"
#include "palimpsest/cli/json_output.h"
#include "palimpsest/cli/mia_arguments.h"
#include "palimpsest/cli/mia_output.h"
#include "palimpsest/cli/pack.h"
#include "palimpsest/cli/results.h"
#include "palimpsest/evidence/plan.h"

namespace palimpsest::cli {
namespace {

struct PlanCommand {
  MiaArguments arguments;
  bool json = false;
  std::string out;
};

std::string size_text(const evidence::PlannedSample& sample, bool clustered) {
  if (!clustered)
    return fmt::format("{} forget and {} holdout records", sample.forget, sample.holdout);
  return fmt::format("{} forget records in {} clusters and {} holdout records in {} clusters",
                     sample.forget, sample.forget_clusters, sample.holdout,
                     sample.holdout_clusters);
}

void plan(const PlanCommand& command, const Command& line, const ProgramContext& context,
          const std::stop_token& stop) {
  require_one_form(command.arguments, false);
  check_clusters(line, command.arguments.mia.clusters);
  const auto lock =
      lock_output_file(command.out, "palimpsest plan", input_files(command.arguments));
  const audit::AuditSpec spec = audit_spec(command.arguments, context);
  attack::require_valid(spec.options);
  const attack::AttackTable attacks =
      attack::select_attacks(context.tables.attacks, spec.attacks, spec.parameters);
  if (!spec.options.primary.empty() &&
      std::ranges::find(attacks, spec.options.primary, &attack::Attack::name) == attacks.end()) {
    throw Error({.what = fmt::format("the primary attack '{}' is not among those of the plan",
                                     spec.options.primary),
                 .where = "--primary",
                 .hint = "name one of --attacks"});
  }
  const model::HubEnvironment hub = hub_environment();
  const std::unique_ptr<model::ModelLoader> loader = context.make_loader(hub);
  const auto display = progress_on(stderr);
  evidence::Plan plan{.planned = utc_now(),
                      .version = PALIMPSEST_VERSION,
                      .settings = evidence::settings_of(spec),
                      .sample = evidence::planned_sample(spec)};
  plan.inputs = evidence::audit_inputs(
      spec, loader.get(),
      {.hub = hub, .cache = hash_cache(), .stop = stop, .display = display.get()});
  const std::string text = evidence::plan_to_text(plan);
  write_file(command.out, text);
  if (command.json) {
    print_json(text);
  } else if (plan.sample) {
    fmt::print("{}\n", attack::detectable_auc_sentence(
                           size_text(*plan.sample, spec.options.clusters.is_given()),
                           plan.sample->would_detect));
  }
  log_info("wrote {}; `palimpsest mia --plan {}` follows it", command.out, command.out);
}

}  // namespace

void add_plan_command(Command& program, const ProgramContext& context) {
  Command app = program.subcommand("plan",
                                   "Write down all settings of an audit before it is run, for "
                                   "`palimpsest mia --plan`");
  auto command = std::make_shared<PlanCommand>();
  add_mia_arguments(app, command->arguments, context);
  add_mia_settings_options(app, command->arguments.mia);
  app.flag("--json", command->json, "Print the plan");
  app.option("--out", command->out, "Plan file to write").required();
  app.action([command, app, &context] {
    interruptible(AfterStop::kStartsOver,
                  [&](const std::stop_token& stop) { plan(*command, app, context, stop); });
  });
}

}  // namespace palimpsest::cli
