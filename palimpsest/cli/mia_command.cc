
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "palimpsest/audit/audit.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/output_lock.h"
#include "palimpsest/base/internal/sha256.h"
#include "palimpsest/base/internal/short_name.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/data_arguments.h"
#include "palimpsest/cli/gates.h"
#include "palimpsest/cli/interruption.h"
#include "palimpsest/cli/mia_arguments.h"
#include "palimpsest/cli/mia_output.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/cli/pack.h"
#include "palimpsest/cli/salt.h"
#include "palimpsest/cli/shards.h"
#include "palimpsest/evidence/plan.h"

namespace palimpsest::cli {
namespace {

struct MiaCommand {
  MiaArguments arguments;
  std::string plan;  // a file; empty: none
  ShardArguments shard;
  MiaOutput output;
  Gates gates;
};

void require_out(const MiaCommand& command) {
  if (!command.arguments.is_of_traces() && command.output.out.empty())
    throw Error({.what = "the option is missing; --model needs it", .where = "--out"});
  if (command.arguments.is_of_traces() && !command.shard.given().empty()) {
    throw Error(
        {.what = "the option applies to --model, not to traces", .where = command.shard.given()});
  }
}

// Traces hold what a model computed from examples. Options that say how to run a model, or how to
// make examples, would be ignored.
void refuse_model_options(const MiaArguments& arguments, const Command& line) {
  if (!arguments.is_of_traces()) return;
  for (const char* heading : {kDataOptions, kDeviceOptions}) {
    for (const std::string& option : line.group(heading).given_options()) {
      if (option == "--threads") continue;
      throw Error({.what = "the option applies to --model, not to traces",
                   .where = option,
                   .hint = "leave it out: the traces were made already"});
    }
  }
}

// What provenance.json says besides the hashes of the results. Made before a model runs, so that a
// plan is kept to from the beginning.
class MiaProvenance {
 public:
  MiaProvenance(const MiaCommand& command, const ProgramContext& context)
      : command_(command), provenance_(begin_provenance("mia", context)) {
    if (command.plan.empty()) return;
    plan_ = evidence::read_plan(command.plan);
    plan_text_ = read_file(command.plan);
    provenance_.plan =
        evidence::PlanReference{.planned = plan_->planned, .sha256 = sha256_of(plan_text_)};
  }

  // The settings of the plan, if there is one.
  void follow_plan(audit::AuditSpec& spec, const Command& line) const {
    if (!plan_) return;
    evidence::follow(plan_->settings, spec,
                     [&](const std::string& option) { return line.given(option); });
  }

  // Of a shard: only compares the inputs with the plan, if there is one.
  void check(const audit::AuditSpec& spec, model::ModelLoader* loader,
             const evidence::HashingContext& hashing) const {
    if (plan_) evidence::require_planned(*plan_, evidence::audit_inputs(spec, loader, hashing));
  }

  // Hashes the inputs and compares them with the plan. A run of models, whose finished parts are
  // kept, also keeps the time of its first start.
  void begin(const audit::AuditSpec& spec, model::ModelLoader* loader,
             const evidence::HashingContext& hashing, bool runs_models) {
    const std::string& out = command_.output.out;
    if (out.empty() && !plan_) return;
    provenance_.inputs = evidence::audit_inputs(spec, loader, hashing);
    if (plan_) evidence::require_planned(*plan_, provenance_.inputs);
    provenance_.settings = evidence::settings_of(spec);
    const auto* models = std::get_if<audit::AuditModels>(&spec.source);
    if (models != nullptr) provenance_.computing = compute_settings(models->model_options);
    if (command_.output.no_text) provenance_.left_out.emplace_back("texts");
    if (command_.output.no_paths) {
      provenance_ = evidence::without_paths(std::move(provenance_));
      provenance_.left_out.emplace_back("paths");
    }
    if (out.empty()) return;
    provenance_.started =
        evidence::first_start(out, evidence::identity_of(provenance_), utc_now(), runs_models);
  }

  const evidence::Provenance& value() const { return provenance_; }
  // The plan goes into the pack.
  const std::string& plan_text() const { return plan_text_; }

 private:
  const MiaCommand& command_;
  evidence::Provenance provenance_;
  std::optional<evidence::Plan> plan_;
  std::string plan_text_;
};

void run_mia(const MiaCommand& command, const Command& line, const ProgramContext& context,
             const std::stop_token& stop) {
  require_one_form(command.arguments, true);
  refuse_model_options(command.arguments, line);
  require_out(command);
  check_gates(command.gates);
  check_clusters(line, command.arguments.mia.clusters);
  const run::WorkOptions work = work_options(command.shard, context);
  if (work.follows() && command.arguments.is_of_traces()) return;
  check_threads(command.arguments.model.threads);
  audit::AuditSpec spec = audit_spec(command.arguments, context);
  if (auto* models = std::get_if<audit::AuditModels>(&spec.source))
    models->model_options.stage = stage_of(work);
  MiaProvenance provenance(command, context);
  provenance.follow_plan(spec, line);
  if (command.output.no_text && work.has_results())
    spec.hide_texts_with = read_salt(command.output.salt, command.output.out);
  const auto display = progress_on(stderr);
  audit::AuditContext how;
  how.hub = hub_environment();
  how.attacks = context.tables.attacks;
  how.threads = threads_of(command.arguments.model, context);
  how.stop = stop;
  how.display = display.get();
  how.log = log_message;
  const evidence::HashingContext hashing{
      .hub = how.hub, .cache = hash_cache(), .stop = stop, .display = display.get()};
  std::unique_ptr<model::ModelLoader> loader;
  if (!command.arguments.is_of_traces()) {
    loader = context.make_loader(how.hub);
    how.loader = loader.get();
    how.traces = std::filesystem::path(command.output.out) / "traces";
    how.work = work;
    how.before_models = [&] {
      if (!work.has_results()) return provenance.check(spec, loader.get(), hashing);
      provenance.begin(spec, loader.get(), hashing, work.computes);
    };
  }
  // Only now: the model's device may have handed the whole call over to the other program.
  std::optional<OutputLock> lock;
  if (!command.output.out.empty() && !work.follows()) {
    lock = OutputLock::of_folder(command.output.out, with_shard("palimpsest mia", work),
                                 work.shard ? work.shard->part() : "");
    evidence::require_own_folder(command.output.out, "mia");
  }
  if (!work.has_results()) {
    audit::audit_shard(spec, how);  // its notes were logged as they arose
    if (work.follows()) return;
    return print_shard_done(*work.shard, command.output.json);
  }
  if (command.arguments.is_of_traces()) provenance.begin(spec, nullptr, hashing, false);
  audit::Audit done = audit::audit(spec, how);
  report::MiaExampleOptions examples;
  if (!command.output.no_text) {
    examples.traces = done.traces.audited;
    examples.in_file_order = true;
  }
  attack::MiaRecord record = done.record;
  for (auto& [title, text] : record) {
    if (command.output.no_paths && title.ends_with(" traces")) text = short_name(text);
  }
  const attack::AnswerVerdict verdict = done.report.answer.verdict;
  report_mia(std::move(done.report), command.output, record, examples,
             {.provenance = provenance.value(),
              .plan = provenance.plan_text(),
              .has_traces = loader != nullptr});
  pass_gates(command.gates, verdict,
             command.output.out.empty() ? "nothing was written, as there is no --out"
                                        : "the results are in " + command.output.out);
}

}  // namespace

void add_mia_command(Command& program, const ProgramContext& context) {
  Command app = program.subcommand(
      "mia", "Audit a model: can the forget set still be told from unseen text?");
  auto command = std::make_shared<MiaCommand>();
  add_mia_arguments(app, command->arguments, context);
  add_mia_report_options(app, command->arguments.mia, command->output);
  app.option(
      "--plan", command->plan,
      "Take all settings from this file of `palimpsest plan`, and refuse to deviate from it");
  add_shard_options(app, command->shard);
  add_gate_options(app, command->gates);
  app.action([command, app, &context] {
    attack::MiaTextOptions& text = command->output.text;
    text.groups = text.groups || app.given("--group-key");
    text.decisions = app.given("--cost-fp") || app.given("--cost-fn");
    const bool keeps = !command->arguments.model.model.empty();  // traces and their journals
    interruptible(keeps ? AfterStop::kResumes : AfterStop::kStartsOver,
                  [&](const std::stop_token& stop) { run_mia(*command, app, context, stop); });
  });
}

}  // namespace palimpsest::cli
