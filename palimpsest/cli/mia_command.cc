#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/audit/audit.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/output_lock.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/data_arguments.h"
#include "palimpsest/cli/interruption.h"
#include "palimpsest/cli/mia_output.h"
#include "palimpsest/cli/models.h"

namespace palimpsest::cli {
namespace {

using Files = attack::BothSets<std::string>;

// As the user writes them: models and data, or traces.
struct MiaCommand {
  ModelArguments model;
  std::string reference;  // further models; empty: none
  std::string baseline;
  Files data;
  DataArguments preparation;
  Files traces;
  Files reference_traces;
  Files baseline_traces;
  std::string attacks = "all";
  attack::ParameterValues common;  // -k and -p
  attack::MiaOptions mia;
  MiaOutput output;
};

// Either traces of both sets or a model and both sets; the parser cannot say it as clearly.
void require_one_form(const MiaCommand& command) {
  const bool from_traces = !command.traces.forget.empty();
  const bool from_model = !command.model.model.empty();
  if (from_traces == from_model) {
    throw Error(
        {.what = from_model ? "both a model and traces are given" : "there is nothing to audit",
         .hint = "give --model DIR --forget FILE --holdout FILE --out DIR, or "
                 "--forget-traces FILE --holdout-traces FILE"});
  }
  if (from_traces) {
    for (const auto& [option, value] :
         {std::pair{"--forget", command.data.forget}, std::pair{"--holdout", command.data.holdout},
          std::pair{"--reference", command.reference}, std::pair{"--baseline", command.baseline}}) {
      if (value.empty()) continue;
      throw Error({.what = "the option goes with --model, not with traces",
                   .where = option,
                   .hint = fmt::format("give {}-… traces, or --model", option)});
    }
    return;
  }
  for (const auto& [option, traces] : {std::pair{"--reference", &command.reference_traces},
                                       std::pair{"--baseline", &command.baseline_traces}}) {
    if (traces->forget.empty()) continue;
    throw Error(
        {.what = "the option goes with traces, not with --model",
         .where = fmt::format("{}-forget-traces", option),
         .hint = fmt::format("give {} DIR, or --forget-traces and --holdout-traces", option)});
  }
  for (const auto& [option, value] :
       {std::pair{"--forget", command.data.forget}, std::pair{"--holdout", command.data.holdout},
        std::pair{"--out", command.output.out}}) {
    if (value.empty()) {
      throw Error({.what = "the option is missing, which --model needs", .where = option});
    }
  }
}

audit::AuditModels models_of(const MiaCommand& command, const ProgramContext& context) {
  using audit::ModelRole;
  audit::AuditModels models;
  models.model_options = model_options(command.model, context);
  models.models = {{ModelRole::kAudited, command.model.model}};
  if (!command.reference.empty())
    models.models.push_back({ModelRole::kReference, command.reference});
  if (!command.baseline.empty()) models.models.push_back({ModelRole::kBaseline, command.baseline});
  models.data = {.forget = {command.data.forget}, .holdout = {command.data.holdout}};
  models.preparation = preparation_options(command.preparation);
  return models;
}

audit::AuditTraces traces_of(const MiaCommand& command) {
  const auto inputs = [](const Files& files) {
    return attack::BothSets<trace::TraceInput>{.forget = files.forget, .holdout = files.holdout};
  };
  return {.audited = inputs(command.traces),
          .reference = inputs(command.reference_traces),
          .baseline = inputs(command.baseline_traces)};
}

void run_mia(const MiaCommand& command, const ProgramContext& context, std::stop_token stop) {
  require_one_form(command);
  check_threads(command.model.threads);
  audit::AuditSpec spec{
      .attacks = command.attacks, .parameters = command.common, .options = command.mia};
  const auto display = progress_on(stderr);
  audit::AuditContext how{.hub = hub_environment(),
                          .attacks = context.tables.attacks,
                          .threads = command.model.threads,
                          .stop = std::move(stop),
                          .display = display.get(),
                          .log = log_message};
  std::unique_ptr<model::ModelLoader> loader;
  if (command.model.model.empty()) {
    spec.source = traces_of(command);
  } else {
    spec.source = models_of(command, context);
    loader = context.make_loader(how.hub);
    how.loader = loader.get();
    how.traces = std::filesystem::path(command.output.out) / "traces";
  }
  // Only now: the model's device may have handed the whole call over to the other program.
  std::optional<OutputLock> lock;
  if (!command.output.out.empty())
    lock = OutputLock::of_folder(command.output.out, "palimpsest mia");
  const audit::Audit done = audit::audit(spec, how);
  report::MiaExampleOptions examples{.traces = {trace::file_of(done.traces.audited.forget),
                                                trace::file_of(done.traces.audited.holdout)}};
  for (const auto& [name, value] : command.common) {
    if (name == "k") examples.lowest_share = value;
  }
  report_mia(done.report, command.output, done.record, examples);
}

void add_model_form(Command& mia, MiaCommand& command) {
  Command app = mia.group("Models and data");
  app.option("--model", command.model.model,
             "The model to audit: a checkpoint folder, or a hub id in the local cache");
  app.option("--forget", command.data.forget,
             "Data that the model should not know: .json, .jsonl or .csv");
  app.option("--holdout", command.data.holdout, "Data of the same kind that it never saw");
  app.option("--reference", command.reference,
             "A model to compare with, for the attacks that do (see `palimpsest list attacks`)");
  app.option("--baseline", command.baseline,
             "A model retrained without the forget set: how far is the audited one from it?");
  add_data_options(mia, command.preparation);
  add_device_options(mia, command.model);
}

// Two trace files that only make sense together. `name` is "--reference" of
// --reference-forget-traces and --reference-holdout-traces.
void add_trace_options(Command app, const std::string& name, const std::string& model,
                       Files& traces) {
  Option forget = app.option(fmt::format("{}-forget-traces", name), traces.forget,
                             fmt::format("Trace file of the forget set under {}", model));
  Option holdout = app.option(fmt::format("{}-holdout-traces", name), traces.holdout,
                              fmt::format("Trace file of the unseen text under {}", model));
  forget.needs(holdout);
  holdout.needs(forget);
}

// -k and -p: one option per parameter that is set for all attacks at once.
void add_common_options(Command& app, const attack::AttackTable& attacks,
                        attack::ParameterValues& values) {
  const std::vector<attack::CommonParameter> common = attack::common_parameters(attacks);
  for (const attack::CommonParameter& one : common)
    values.emplace_back(one.parameter.name, one.parameter.default_value);
  for (size_t i = 0; i < common.size(); ++i) {
    const std::string& name = common[i].parameter.name;
    app.option((name.size() == 1 ? "-" : "--") + name, values[i].second,
               fmt::format("For {}: {}", fmt::join(common[i].attacks, ", "),
                           common[i].parameter.meaning))
        .show_default();
  }
}

}  // namespace

void add_mia_command(Command& program, const ProgramContext& context) {
  Command app = program.subcommand(
      "mia", "Audit a model: can the forget set still be told from unseen text?");
  auto command = std::make_shared<MiaCommand>();
  add_model_form(app, *command);
  const Command traces = app.group("Traces instead of models");
  add_trace_options(traces, "-", "the model, instead of --model", command->traces);
  add_trace_options(traces, "--reference", "a reference model", command->reference_traces);
  add_trace_options(traces, "--baseline", "a model retrained without the forget set",
                    command->baseline_traces);
  Command attacks = app.group("Attacks");
  attacks
      .option("--attacks", command->attacks,
              "Comma-separated names with parameters if wanted, or all that the traces allow "
              "(see `palimpsest list attacks`)")
      .show_default();
  add_common_options(attacks, context.tables.attacks, command->common);
  add_mia_report_options(app, command->mia, command->output);
  app.action([command, &context] {
    const bool keeps = !command->model.model.empty();  // traces and their journals
    interruptible(keeps ? AfterStop::kGoesOn : AfterStop::kBeginsAnew,
                  [&](const std::stop_token& stop) { run_mia(*command, context, stop); });
  });
}

}  // namespace palimpsest::cli
