#include "palimpsest/cli/mia_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/short_name.h"

namespace palimpsest::cli {
namespace {

// Both go with one form and not with the other.
void refuse_other_form(const MiaArguments& arguments) {
  if (arguments.is_of_traces()) {
    for (const auto& [option, value] : {std::pair{"--forget", arguments.data.forget},
                                        std::pair{"--holdout", arguments.data.holdout},
                                        std::pair{"--reference", arguments.reference},
                                        std::pair{"--baseline", arguments.baseline}}) {
      if (value.empty()) continue;
      throw Error({.what = "the option applies to --model, not to traces",
                   .where = option,
                   .hint = fmt::format("give {}-… traces, or --model", option)});
    }
    return;
  }
  for (const auto& [option, traces] : {std::pair{"--reference", &arguments.reference_traces},
                                       std::pair{"--baseline", &arguments.baseline_traces}}) {
    if (traces->forget.empty()) continue;
    throw Error(
        {.what = "the option applies to traces, not to --model",
         .where = fmt::format("{}-forget-traces", option),
         .hint = fmt::format("give {} DIR, or --forget-traces and --holdout-traces", option)});
  }
}

// A local folder is called by its display name; a hub id is found by its name.
audit::AuditModel model_of(audit::ModelRole role, const std::string& given,
                           const std::string& name) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(given, ignored)) return {.role = role, .name = given};
  return {.role = role, .name = name, .folder = given};
}

audit::AuditModels models_of(const MiaArguments& arguments, const ProgramContext& context) {
  using audit::ModelRole;
  audit::AuditModels models;
  models.model_options = model_options(arguments.model, context);
  const std::vector<std::pair<ModelRole, std::string>> given = {
      {ModelRole::kAudited, arguments.model.model},
      {ModelRole::kReference, arguments.reference},
      {ModelRole::kBaseline, arguments.baseline}};
  const std::vector<std::string> names =
      display_names({given[0].second, given[1].second, given[2].second}, model_path_parts);
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i].second.empty())
      models.models.push_back(model_of(given[i].first, given[i].second, names[i]));
  }
  const std::vector<std::string> sets =
      display_names({arguments.data.forget, arguments.data.holdout}, path_parts);
  models.data = {.forget = {.name = sets[0], .file = arguments.data.forget},
                 .holdout = {.name = sets[1], .file = arguments.data.holdout}};
  models.preparation = preparation_options(arguments.preparation);
  return models;
}

audit::AuditTraces traces_of(const MiaArguments& arguments) {
  const auto inputs = [](const TwoFiles& files) {
    return trace::BothSets<trace::TraceInput>{.forget = files.forget, .holdout = files.holdout};
  };
  return {.audited = inputs(arguments.traces),
          .reference = inputs(arguments.reference_traces),
          .baseline = inputs(arguments.baseline_traces)};
}

void add_model_form(Command& mia, MiaArguments& arguments) {
  Command app = mia.group("Models and data");
  app.option("--model", arguments.model.model,
             "The model to audit: a checkpoint folder, or a hub id in the local cache");
  app.option("--forget", arguments.data.forget,
             "Data that the model should not know: .json, .jsonl or .csv");
  app.option("--holdout", arguments.data.holdout, "Data of the same kind that it never saw");
  app.option("--reference", arguments.reference,
             "A reference model, for the attacks that compare with one (see `palimpsest list "
             "attacks`)");
  app.option("--baseline", arguments.baseline,
             "A model retrained without the forget set: how far is the audited one from it?");
  add_data_options(mia, arguments.preparation);
  add_device_options(mia, arguments.model);
}

// Two trace files that only make sense together. `name` is "--reference" of
// --reference-forget-traces and --reference-holdout-traces.
void add_trace_options(Command app, const std::string& name, const std::string& model,
                       TwoFiles& traces) {
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

void add_mia_arguments(Command& app, MiaArguments& arguments, const ProgramContext& context) {
  add_model_form(app, arguments);
  const Command traces = app.group("Traces instead of models");
  add_trace_options(traces, "-", "the model, instead of --model", arguments.traces);
  add_trace_options(traces, "--reference", "a reference model", arguments.reference_traces);
  add_trace_options(traces, "--baseline", "a model retrained without the forget set",
                    arguments.baseline_traces);
  Command attacks = app.group("Attacks");
  attacks
      .option("--attacks", arguments.attacks,
              "Comma-separated attacks, optionally with parameters (min_k:k=0.3), or all: every "
              "attack that the input allows (see `palimpsest list attacks`)")
      .show_default();
  add_common_options(attacks, context.tables.attacks, arguments.common);
}

void require_one_form(const MiaArguments& arguments, bool needs_model) {
  const bool from_traces = arguments.is_of_traces();
  const bool from_model = needs_model
                              ? !arguments.model.model.empty()
                              : !arguments.model.model.empty() || !arguments.data.forget.empty() ||
                                    !arguments.data.holdout.empty();
  if (from_traces && from_model && !needs_model && arguments.model.model.empty())
    refuse_other_form(arguments);
  if (from_traces == from_model) {
    throw Error(
        {.what = from_model ? "both a model and traces are given" : "there is nothing to audit",
         .hint = needs_model ? "give --model DIR --forget FILE --holdout FILE --out DIR, or "
                               "--forget-traces FILE --holdout-traces FILE"
                             : "give --forget FILE --holdout FILE, or --forget-traces FILE "
                               "--holdout-traces FILE"});
  }
  refuse_other_form(arguments);
  if (from_traces) return;
  for (const auto& [option, value] : {std::pair{"--forget", arguments.data.forget},
                                      std::pair{"--holdout", arguments.data.holdout}}) {
    if (!value.empty()) continue;
    throw Error(
        {.what = needs_model ? "the option is missing; --model needs it" : "the option is missing",
         .where = option});
  }
}

std::vector<std::filesystem::path> input_files(const MiaArguments& arguments) {
  std::vector<std::filesystem::path> files = {arguments.preparation.options.few_shot};
  for (const TwoFiles* two : {&arguments.data, &arguments.traces, &arguments.reference_traces,
                              &arguments.baseline_traces}) {
    files.insert(files.end(), {two->forget, two->holdout});
  }
  for (const std::string* model :
       {&arguments.model.model, &arguments.reference, &arguments.baseline}) {
    std::ranges::move(model_folders(*model, hub_environment()), std::back_inserter(files));
  }
  return files;
}

audit::AuditSpec audit_spec(const MiaArguments& arguments, const ProgramContext& context) {
  audit::AuditSpec spec{
      .attacks = arguments.attacks, .parameters = arguments.common, .options = arguments.mia};
  if (arguments.is_of_traces()) {
    spec.source = traces_of(arguments);
  } else {
    spec.source = models_of(arguments, context);
  }
  return spec;
}

}  // namespace palimpsest::cli
