#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/audit/audit.h"
#include "palimpsest/base/error.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/cli/pack.h"
#include "palimpsest/evidence/inputs.h"
#include "palimpsest/evidence/settings.h"
#include "python/src/arguments.h"
#include "python/src/audit_result.h"
#include "python/src/bindings.h"
#include "python/src/call_origin.h"
#include "python/src/held.h"
#include "python/src/interruptible.h"
#include "python/src/keywords.h"
#include "python/src/model_options.h"
#include "python/src/own_attack.h"
#include "python/src/progress_callback.h"

namespace palimpsest::python {
namespace {

attack::MiaOptions mia_options(const Keywords& keywords) {
  attack::MiaOptions options;
  keywords.read("bootstrap", options.bootstrap.resamples);
  keywords.read("confidence", options.bootstrap.confidence);
  keywords.read("seed", options.bootstrap.seed);
  keywords.read("cluster_key", options.clusters.key);
  keywords.read("cluster_size", options.clusters.size);
  keywords.read("independent", options.clusters.independent);
  keywords.read("margin", options.margin);
  keywords.read("primary", options.primary);
  keywords.read("allow_overlap", options.allow_overlap);
  keywords.read("fprs", options.fprs);
  keywords.read("group_keys", options.group_keys);
  keywords.read("blind_baseline", options.blind_baseline);
  keywords.read("cost_fp", options.costs.false_positive);
  keywords.read("cost_fn", options.costs.false_negative);
  keywords.read("validation_split", options.validation_split);
  keywords.read("false_discovery_rate", options.false_discovery_rate);
  return options;
}

trace::TraceInput trace_input(nb::handle given) {
  if (given.is_none()) return {};
  std::shared_ptr<trace::TraceSet> set;
  if (nb::try_cast(nb::borrow(given), set, false))
    return std::shared_ptr<const trace::TraceSet>(set);
  return nb::cast<std::filesystem::path>(given);
}

trace::BothSets<trace::TraceInput> both_inputs(const nb::object& pair) {
  return {.forget = trace_input(pair[0]), .holdout = trace_input(pair[1])};
}

audit::AuditData audit_data(const nb::object& name_and_file) {
  return {.name = nb::cast<std::string>(name_and_file[0]),
          .file = nb::cast<std::filesystem::path>(name_and_file[1])};
}

audit::AuditModels audit_models(const Keywords& keywords) {
  audit::AuditModels models;
  const auto given = nb::cast<nb::dict>(keywords.at("models"));
  for (const auto& [role_name, role] : kRoles) {
    if (!given.contains(role_name)) continue;
    const nb::object model = given[role_name];
    models.models.push_back({.role = role,
                             .name = nb::cast<std::string>(model[0]),
                             .folder = nb::cast<std::filesystem::path>(model[1])});
  }
  models.data = {.forget = audit_data(keywords.at("forget")),
                 .holdout = audit_data(keywords.at("holdout"))};
  models.preparation = preparation_of(keywords);
  models.model_options = model_options_of(keywords);
  return models;
}

audit::AuditTraces audit_traces(const nb::dict& given) {
  audit::AuditTraces traces;
  for (const auto& [role_name, role] : kRoles) {
    if (given.contains(role_name)) traces.of(role) = both_inputs(given[role_name]);
  }
  return traces;
}

audit::AuditSpec audit_spec(const Keywords& keywords) {
  audit::AuditSpec spec;
  if (keywords.has("models")) {
    spec.source = audit_models(keywords);
  } else {
    spec.source = audit_traces(nb::cast<nb::dict>(keywords.at("traces")));
  }
  keywords.read("attacks", spec.attacks);
  keywords.read("parameters", spec.parameters);
  for (const attack::CommonParameter& common :
       attack::common_parameters(attack::default_attack_table())) {
    const std::string& name = common.parameter.name;
    const auto given = std::ranges::find_if(spec.parameters,
                                            [&](const auto& value) { return value.first == name; });
    if (given == spec.parameters.end())
      spec.parameters.emplace_back(name, common.parameter.default_value);
  }
  spec.options = mia_options(keywords);
  return spec;
}

// Says the names and levels as Python's logging knows them.
constexpr int python_level(LogLevel level) {
  constexpr int kPythonStep = 10;
  return (static_cast<int>(level) + 1) * kPythonStep;
}

// What provenance.json says besides the hashes of the results.
evidence::Provenance provenance_of(const audit::AuditSpec& spec, model::ModelLoader* loader,
                                   const CallOrigin& origin,
                                   const evidence::HashingContext& hashing) {
  evidence::Provenance provenance = cli::begin_provenance("mia", {});
  provenance.started = cli::utc_now();
  provenance.settings = evidence::settings_of(spec);
  provenance.inputs = evidence::audit_inputs(spec, loader, hashing);
  if (const auto* models = std::get_if<audit::AuditModels>(&spec.source))
    provenance.computing = cli::compute_settings(models->model_options);
  origin.complete(provenance);
  return provenance;
}

std::shared_ptr<AuditResult> run_audit(const nb::dict& arguments, const nb::dict& objects,
                                       const nb::object& log, const nb::object& progress) {
  const Keywords keywords(arguments);
  const CallOrigin origin(keywords);
  const audit::AuditSpec spec = audit_spec(keywords);
  audit::AuditContext context{.hub = cli::hub_environment()};
  keywords.read("traces_folder", context.traces);
  keywords.read("journal", context.journal);
  keywords.read("threads", context.threads);
  add_own_attacks(keywords, context.attacks);
  const bool has_own_attacks = context.attacks.size() > attack::default_attack_table().size();
  const std::unique_ptr<model::ModelLoader> loader = loader_of(objects);
  context.loader = loader.get();
  const Held logger(log);
  context.log = [&](LogLevel level, const std::string& text) {
    const nb::gil_scoped_acquire acquired;
    logger.get()(python_level(level), text);
  };
  const std::unique_ptr<ProgressDisplay> display = display_of(progress);
  context.display = display.get();
  return run_interruptible([&](std::stop_token stop) {
    context.stop = std::move(stop);
    AuditResult result{
        .spec = spec, .has_own_attacks = has_own_attacks, .threads = context.threads};
    const auto begin = [&] {
      result.provenance = provenance_of(spec, loader.get(), origin,
                                        {.hub = context.hub,
                                         .cache = cli::hash_cache(),
                                         .stop = context.stop,
                                         .display = context.display});
    };
    if (std::holds_alternative<audit::AuditModels>(spec.source)) {
      context.before_models = begin;
    } else {
      // What is wrong with the call comes before what is wrong with the files.
      attack::require_valid(spec.options);
      attack::select_attacks(context.attacks, spec.attacks, spec.parameters);
      begin();
    }
    result.value = audit::audit(spec, context);
    return std::make_shared<AuditResult>(std::move(result));
  });
}

}  // namespace

void add_audit(nb::module_& module) {
  add_audit_result(module);
  module.def("audit", run_audit, nb::arg("arguments"), nb::arg("objects"), nb::arg("log"),
             nb::arg("progress").none());
}

}  // namespace palimpsest::python
