#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/base/internal/sha256.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/configurations.h"
#include "palimpsest/cli/gates.h"
#include "palimpsest/cli/handover.h"
#include "palimpsest/cli/interruption.h"
#include "palimpsest/cli/json_output.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/cli/run_evaluation.h"
#include "palimpsest/cli/shards.h"
#include "palimpsest/config/compose.h"
#include "palimpsest/config/internal/key_path.h"
#include "palimpsest/config/internal/sweep.h"
#include "palimpsest/config/internal/yaml_writer.h"
#include "palimpsest/eval/read_evaluation.h"

namespace palimpsest::cli {
namespace {

using config::Value;

struct EvalOptions {
  std::string config_dir;
  std::string config_name = "eval.yaml";
  std::string print;  // "job": print the configuration instead of running it
  std::string package;
  bool resolve = false;
  bool multirun = false;
  bool json = false;
  Gates gates;
  ShardArguments shard;
  ModelArguments resources;  // the model and its device are the configuration's
  std::vector<std::string> overrides;
};

// The part of a configuration that --package names.
const Value& part_of(const Value& configuration, const std::string& package) {
  const Value* part = &configuration;
  if (package.empty()) return *part;
  for (const std::string& key : config::split_key(package)) {
    part = part->child(key);
    if (part == nullptr) {
      throw Error({.what = fmt::format("there is no '{}' in the configuration", package),
                   .where = "--package"});
    }
  }
  return *part;
}

std::string configuration_text(const config::Composition& job,
                               const config::ConfigContext& config_context,
                               const EvalOptions& options) {
  const Value configuration = options.resolve
                                  ? config::resolve(job, config_context, config::OnFailure::kThrow)
                                  : job.config;
  const std::string heading =
      options.package.empty() ? "" : fmt::format("# @package {}\n", options.package);
  return heading + config::to_yaml(part_of(configuration, options.package));
}

// Each job with the context that it was composed in, which knows its number.
struct Job {
  config::Composition composition;
  config::ConfigContext config_context;
  std::string overrides;
};

// Descriptions of evaluations in circulation choose a trainer, too. Without such a group that would
// only be refused; it has no effect on an evaluation.
std::vector<std::string> without_trainer(const std::vector<std::string>& overrides,
                                         const std::filesystem::path& folder) {
  std::vector<std::string> kept;
  for (const std::string& line : overrides) {
    const bool is_trainer = line.starts_with("trainer=") || line.starts_with("trainer.");
    std::error_code ignored;
    if (is_trainer && !std::filesystem::is_directory(folder / "trainer", ignored)) {
      log_warning("{} has no effect: eval trains nothing", line);
    } else {
      kept.push_back(line);
    }
  }
  return kept;
}

std::vector<Job> compose_jobs(const EvalOptions& options, const ProgramContext& context) {
  const config::ConfigSet configs{
      .folders = {options.config_dir.empty() ? shipped_configs(context)
                                             : std::filesystem::path(options.config_dir)},
      .config_name = options.config_name};
  const std::vector<config::Override> overrides =
      config::parse_overrides(without_trainer(options.overrides, configs.folders.front()));
  std::vector<std::vector<config::Override>> expanded = {overrides};
  if (options.multirun) expanded = config::expand_sweep(configs, overrides);
  std::vector<Job> jobs;
  for (const std::vector<config::Override>& job : expanded) {
    config::ConfigContext config_context = process_context();
    config_context.hydra.find("job")->set("num", static_cast<int64_t>(jobs.size()));
    std::string lines;
    for (const config::Override& override : job) lines += " " + override.line;
    jobs.push_back({config::compose(configs, job, config_context), config_context, lines});
  }
  return jobs;
}

// All at once, so that nothing is printed if one of them is wrong.
void print_jobs(const std::vector<Job>& jobs, const EvalOptions& options) {
  std::string text;
  for (const Job& job : jobs) {
    if (!text.empty()) text += "---\n";
    text += configuration_text(job.composition, job.config_context, options);
  }
  print_text(text);
}

// Before the first job, since the other program begins with the first again.
void hand_over_for(const std::vector<Value>& configurations, const ProgramContext& context) {
  bool wants_cuda = false;
  for (const Value& configuration : configurations) {
    const std::string device = eval::wanted_device(configuration);
    if (device == "torch") hand_over(device, context);
    wants_cuda = wants_cuda || device != "cpu";
  }
  if (wants_cuda) hand_over_if_cuda(context);
}

void eval(const EvalOptions& options, const ProgramContext& context, const std::stop_token& stop) {
  check_gates(options.gates);
  // All jobs are composed before the first one runs: a mistake in the last one is found at once.
  model::ModelOptions resources = model_options(options.resources, context);
  const run::WorkOptions work = work_options(options.shard, context);
  resources.stage = stage_of(work);
  const std::vector<Job> jobs = compose_jobs(options, context);
  if (!options.print.empty()) return print_jobs(jobs, options);
  std::vector<Value> resolved;
  for (const Job& job : jobs) {
    resolved.push_back(
        config::resolve(job.composition, job.config_context, config::OnFailure::kKeep));
  }
  hand_over_for(resolved, context);
  std::vector<std::pair<std::optional<attack::AnswerVerdict>, std::string>> answers;
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (stop.stop_requested()) throw Stopped();
    if (options.multirun) log_info("job {} of {}:{}", i + 1, jobs.size(), jobs[i].overrides);
    const eval::EvaluationSpec spec = read_spec(resolved[i], resources, context);
    const std::unique_ptr<ProgressDisplay> display = progress_on(stderr);
    const EvaluationCall call{
        .command = with_shard("palimpsest eval", work),
        .display = display.get(),
        .stop = stop,
        .work = work,
        .settings = {
            {"configuration, SHA-256", sha256_of(config::to_yaml(jobs[i].composition.config))}}};
    for (const eval::Evaluation& evaluation : run_evaluation(spec, context, call)) {
      print_evaluation(evaluation, options.json);
      answers.emplace_back(
          evaluation.run.answer ? std::optional(evaluation.run.answer->verdict) : std::nullopt,
          evaluation.log.parent_path().string());
    }
  }
  if (work.follows()) return;
  if (work.shard) return print_shard_done(*work.shard, options.json);
  // Every job has its results by then, whatever the answers are.
  for (const auto& [verdict, folder] : answers)
    pass_gates(options.gates, verdict, "the results are in " + folder);
}

}  // namespace

void add_eval_command(Command& program, const ProgramContext& context) {
  Command command = program.subcommand("eval",
                                       "Evaluate a checkpoint on a benchmark, as described by a "
                                       "configuration");
  auto options = std::make_shared<EvalOptions>();
  command.option("--config-dir", options->config_dir,
                 "Folder of configurations (default: the one that ships with the program)");
  command.option("--config-name", options->config_name, "Name of the main configuration file")
      .show_default();
  Option print =
      command
          .option("--cfg", options->print, "Print the composed configuration (job) and run nothing")
          .one_of({"job"});
  command
      .flag("--resolve", options->resolve,
            "Print the configuration with all interpolations resolved")
      .needs(print);
  command
      .option("--package", options->package,
              "Print only this part of the configuration, such as a.b.c")
      .needs(print);
  command.flag("-m,--multirun", options->multirun,
               "Run every combination of values, if overrides have several: a=1,2 b=x,y");
  command.flag("--json", options->json, "Print the results as JSON, one line per evaluator");
  add_shard_options(command, options->shard);
  add_gate_options(command, options->gates);
  add_resource_options(command, options->resources);
  command.option("OVERRIDE", options->overrides,
                 "Overrides in Hydra's syntax: key=value, +key=value, ++key=value, ~key, "
                 "group=option");
  command.action([options, &context] {
    interruptible(AfterStop::kResumes,
                  [&](const std::stop_token& stop) { eval(*options, context, stop); });
  });
}

}  // namespace palimpsest::cli
