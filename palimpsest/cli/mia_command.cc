#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/mia_models.h"
#include "palimpsest/cli/mia_output.h"

namespace palimpsest::cli {
namespace {

struct MiaCommand {
  MiaModels models;
  MiaTraces traces;
  std::string attacks = "all";
  ParameterValues common;  // -k and -p
  MiaOptions mia;
  MiaOutput output;
};

// Either traces of both sets or a model and both sets; the parser cannot say it as clearly.
void require_one_form(const MiaCommand& command) {
  const MiaModels& models = command.models;
  const bool from_traces = !command.traces.model.forget.empty();
  const bool from_model = !models.model.model.empty();
  if (from_traces == from_model) {
    throw Error(
        {.what = from_model ? "both a model and traces are given" : "there is nothing to audit",
         .hint = "give --model DIR --forget FILE --holdout FILE --out DIR, or "
                 "--forget-traces FILE --holdout-traces FILE"});
  }
  if (from_traces) {
    for (const auto& [option, value] :
         {std::pair{"--forget", models.forget}, std::pair{"--holdout", models.holdout},
          std::pair{"--reference", models.reference}, std::pair{"--baseline", models.baseline}}) {
      if (value.empty()) continue;
      throw Error({.what = "the option goes with --model, not with traces",
                   .where = option,
                   .hint = fmt::format("give {}-… traces, or --model", option)});
    }
    return;
  }
  for (const auto& [option, value] :
       {std::pair{"--forget", models.forget}, std::pair{"--holdout", models.holdout},
        std::pair{"--out", command.output.out}}) {
    if (value.empty()) {
      throw Error({.what = "the option is missing, which --model needs", .where = option});
    }
  }
}

// How the audit was made: for mia.json and for the page.
MiaRecord run_record(const MiaCommand& command, const MiaTraces& traces, const TraceScores& forget,
                     const TraceScores& holdout) {
  MiaRecord record = {{"palimpsest", PALIMPSEST_VERSION},
                      {"forget traces", traces.model.forget},
                      {"holdout traces", traces.model.holdout}};
  auto add = [&](const std::string& title, const std::string& text) {
    if (!text.empty()) record.emplace_back(title, text);
  };
  add("model", forget.header.model);
  add("forget data", forget.header.dataset);
  add("holdout data", holdout.header.dataset);
  add("reference model", forget.reference_model);
  add("baseline forget traces", traces.baseline.forget);
  add("baseline holdout traces", traces.baseline.holdout);
  add("attacks", command.attacks);
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const auto& [name, value] : command.common) {
    names.push_back(name);
    values.push_back(fmt::format("{:g}", value));
  }
  add(fmt::format("{}", fmt::join(names, ", ")), fmt::format("{}", fmt::join(values, ", ")));
  if (!command.models.model.model.empty()) {
    const DataArguments& data = command.models.data;
    add("kind of data", data.kind);
    add("template", data.prompt_template);
    add("system prompt", data.system_prompt.value_or(""));
    add("attention mask", data.attention_mask);
    if (data.max_length) add("longest example", fmt::format("{} tokens", *data.max_length));
    for (const auto& [name, text] : traces.fingerprints) record.emplace_back(name, text);
  }
  const ClusterChoice& clusters = command.mia.clusters;
  add("clusters", clusters.size > 0 ? fmt::format("blocks of {}", clusters.size) : clusters.key);
  if (clusters.independent) add("clusters", "none: stated to be independent");
  add("primary attack", command.mia.primary);
  add("margin", fmt::format("{:g}", command.mia.margin));
  add("seed", std::to_string(command.mia.bootstrap.seed));
  if (command.mia.bootstrap.resamples > 0)
    add("bootstrap resamples", std::to_string(command.mia.bootstrap.resamples));
  add("confidence", fmt::format("{:g}", command.mia.bootstrap.confidence));
  return record;
}

void run(const MiaCommand& command, const AttackTable& table) {
  require_valid(command.mia);
  require_one_form(command);
  const AttackTable attacks = select_attacks(table, command.attacks, command.common);
  const bool only_possible = command.attacks == "all";
  MiaTraces traces = command.traces;
  if (!command.models.model.model.empty()) {
    MiaModels models = command.models;
    models.data.threads = command.models.model.threads;
    models.data.group_keys = command.mia.group_keys;
    const std::string& cluster_key = command.mia.clusters.key;
    if (!cluster_key.empty() &&
        std::ranges::find(models.data.group_keys, cluster_key) == models.data.group_keys.end())
      models.data.group_keys.push_back(cluster_key);
    traces = trace_mia(models, {.attacks = attacks,
                                .only_possible = only_possible,
                                .clusters = command.mia.clusters,
                                .out = command.output.out});
  }
  const int threads = command.models.model.threads;
  const auto display = progress_on(stderr);
  // A baseline model is compared with the same reference model.
  auto scored = [&](const std::string& path, const std::string& reference) {
    return score_traces(path, attacks,
                        {.reference = reference, .threads = threads, .display = display.get()});
  };
  const TraceScores forget = scored(traces.model.forget, traces.reference.forget);
  const TraceScores holdout = scored(traces.model.holdout, traces.reference.holdout);
  MiaInput input{
      .attacks = attacks, .forget = forget, .holdout = holdout, .only_possible = only_possible};
  TraceScores baseline[2];
  if (!traces.baseline.forget.empty()) {
    baseline[0] = scored(traces.baseline.forget, traces.reference.forget);
    baseline[1] = scored(traces.baseline.holdout, traces.reference.holdout);
    input.baseline.emplace(MiaBaseline{baseline[0], baseline[1]});
  }
  MiaExampleOptions examples{.traces = {traces.model.forget, traces.model.holdout}};
  for (const auto& [name, value] : command.common) {
    if (name == "k") examples.lowest_share = value;
  }
  MiaOptions options = command.mia;
  options.bootstrap.threads = threads;
  report_mia(mia(input, options), command.output, run_record(command, traces, forget, holdout),
             examples);
}

// Two trace files that only make sense together: of the forget and of the holdout set.
struct TracePair {
  const char* name;  // "--reference": of --reference-forget-traces and --reference-holdout-traces
  const char* meaning;  // under which model
  SetTraces& traces;
};

void add_pair(Command& app, const TracePair& pair) {
  Option forget = app.option(fmt::format("{}-forget-traces", pair.name), pair.traces.forget,
                             fmt::format("Trace file of the forget set under {}", pair.meaning));
  Option holdout = app.option(fmt::format("{}-holdout-traces", pair.name), pair.traces.holdout,
                              fmt::format("Trace file of the unseen text under {}", pair.meaning));
  forget.needs(holdout);
  holdout.needs(forget);
}

// -k and -p: one option per parameter that is set for all attacks at once.
void add_common_options(Command& app, const AttackTable& attacks, ParameterValues& values) {
  const std::vector<CommonParameter> common = common_parameters(attacks);
  for (const CommonParameter& one : common)
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

void add_mia_command(Command& program, const Tables& tables) {
  Command app = program.subcommand(
      "mia", "Audit a model: can the forget set still be told from unseen text?");
  auto command = std::make_shared<MiaCommand>();
  add_mia_model_options(app, command->models);
  add_pair(app, {"-", "the model, instead of --model", command->traces.model});
  add_pair(app, {"--reference", "a reference model", command->traces.reference});
  add_pair(app,
           {"--baseline", "a model retrained without the forget set", command->traces.baseline});
  app.option("--attacks", command->attacks,
             "Comma-separated names with parameters if wanted, or all that the traces allow "
             "(see `palimpsest list attacks`)")
      .show_default();
  add_common_options(app, tables.attacks, command->common);
  add_mia_report_options(app, command->mia, command->output);
  app.action([command, &tables] { run(*command, tables.attacks); });
}

}  // namespace palimpsest::cli
