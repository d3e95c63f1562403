#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/cli/configurations.h"
#include "palimpsest/cli/run_evaluation.h"
#include "palimpsest/config/compose.h"
#include "palimpsest/eval/evaluate.h"
#include "palimpsest/run/trace_run.h"
#include "python/src/bindings.h"
#include "python/src/call_origin.h"
#include "python/src/eval_values.h"
#include "python/src/held.h"
#include "python/src/interruptible.h"
#include "python/src/keywords.h"
#include "python/src/model_options.h"
#include "python/src/own_attack.h"
#include "python/src/progress_callback.h"

namespace palimpsest::python {
namespace {

namespace nb = nanobind;
using eval::Evaluation;

// What a Python handler declares of its needs.
eval::MetricNeeds needs_of(const nb::object& handler, const eval::MetricSetting& setting) {
  eval::MetricNeeds needs;
  needs.data = nb::cast<std::vector<std::string>>(handler.attr("data"));
  needs.traces = nb::cast<bool>(handler.attr("traces"));
  for (const auto& name : nb::cast<std::vector<std::string>>(handler.attr("gradient_norms"))) {
    const std::optional<model::NormOrder> order = run::find_order(name);
    if (!order)
      throw Error({.what = "there is no such norm", .where = setting.name, .found = name});
    needs.gradient_norms.push_back(*order);
  }
  if (nb::cast<bool>(handler.attr("generates")))
    needs.generation = eval::read_generation_args(setting.parameters.at("generation_args"));
  return needs;
}

eval::Handler handler_of(const nb::object& given) {
  const Held handler(given);
  eval::Handler row{.name = nb::cast<std::string>(given.attr("name")),
                    .measures = nb::cast<std::string>(given.attr("measures")),
                    .orientation = nb::cast<std::string>(given.attr("orientation"))};
  for (const auto& key : nb::cast<std::vector<std::string>>(given.attr("keys")))
    row.keys.push_back({.name = key, .meaning = ""});
  row.needs = [handler](const eval::MetricSetting& setting) {
    const nb::gil_scoped_acquire acquired;
    return needs_of(handler.get(), setting);
  };
  row.compute = [handler](const eval::MetricInput& input) {
    const nb::gil_scoped_acquire acquired;
    return result_of(
        handler.get().attr("compute")(to_python(input), to_python(input.setting.parameters)),
        input.setting.name);
  };
  return row;
}

// A data set whose records come from Python and become examples as those of another handler do.
eval::DatasetHandler dataset_of(const nb::object& given, const eval::DatasetTable& known) {
  const Held dataset(given);
  const auto like = nb::cast<std::string>(given.attr("like"));
  const auto base = std::ranges::find(known, like, &eval::DatasetHandler::name);
  if (base == known.end())
    throw Error({.what = "there is no such data set handler", .where = "like", .found = like});
  const auto keys = nb::cast<std::vector<std::string>>(given.attr("keys"));
  eval::DatasetHandler row{.name = nb::cast<std::string>(given.attr("name")),
                           .makes = nb::cast<std::string>(given.attr("makes")),
                           .keys = base->keys};
  std::erase(row.keys, "hf_args");  // the records come from Python
  for (const std::string& key : keys) {
    if (std::ranges::find(row.keys, key) == row.keys.end()) row.keys.push_back(key);
  }
  row.prepare = [dataset, keys, title = row.name, prepare = base->prepare](
                    const eval::Parameter& args, const eval::DataContext& context) {
    eval::Parameter rest = args;
    std::string file;
    {
      const nb::gil_scoped_acquire acquired;
      nb::dict own;
      for (const std::string& key : keys) {
        if (const eval::Parameter* value = args.find(key)) own[nb::cast(key)] = to_python(*value);
        rest = rest.without(key);
      }
      file = nb::cast<std::string>(dataset.get().attr("write")(own));
    }
    rest.set("hf_args", eval::Parameter::Map{{"path", file}});
    eval::PreparedData data = prepare(rest, context);
    data.title = title;
    return data;
  };
  return row;
}

cli::ProgramContext program_context(const Keywords& keywords, const nb::dict& objects) {
  cli::ProgramContext context;
  keywords.read("configs", context.configs);
  const Held models{nb::object(objects)};
  context.make_loader = [models](const model::HubEnvironment&) {
    const nb::gil_scoped_acquire acquired;
    return loader_of(nb::cast<nb::dict>(models.get()));
  };
  for (nb::handle handler : nb::cast<nb::list>(keywords.at("handlers")))
    context.tables.own_handlers.push_back(handler_of(nb::borrow(handler)));
  add_own_attacks(keywords, context.tables.attacks);
  const eval::DatasetTable known = context.tables.datasets;
  for (nb::handle dataset : nb::cast<nb::list>(keywords.at("datasets")))
    context.tables.datasets.push_back(dataset_of(nb::borrow(dataset), known));
  for (nb::handle evaluator : nb::cast<nb::list>(keywords.at("evaluators"))) {
    const auto [name, prefix] = nb::cast<std::pair<std::string, std::string>>(evaluator);
    context.tables.evaluators.push_back(
        {.handler = name, .name = prefix, .about = "an evaluator that Python adds"});
  }
  return context;
}

eval::EvaluationSpec spec_of(const Keywords& keywords, const cli::ProgramContext& context) {
  std::filesystem::path config_dir = context.configs;
  std::string config_name;
  std::vector<std::string> overrides;
  keywords.read("config_dir", config_dir);
  keywords.read("config_name", config_name);
  keywords.read("overrides", overrides);
  const config::ConfigContext config_context = cli::process_context();
  const config::Composition job =
      config::compose({.folders = {config_dir}, .config_name = config_name},
                      config::parse_overrides(overrides), config_context);
  eval::EvaluationSpec spec =
      cli::read_spec(config::resolve(job, config_context, config::OnFailure::kKeep),
                     model_options_of(keywords), context);
  if (keywords.has("model")) {
    keywords.read("model", spec.model.name);
    keywords.read("model_folder", spec.model.folder);
    spec.model.tokenizer = spec.model.folder.empty() ? spec.model.name : spec.model.folder.string();
  }
  if (keywords.has("out")) {
    std::filesystem::path out;
    keywords.read("out", out);
    for (eval::EvaluatorSpec& evaluator : spec.evaluators) evaluator.output_dir = out;
  }
  return spec;
}

nb::list rows_of(const Evaluation& evaluation) {
  nb::list rows;
  for (const eval::MetricRow& metric : evaluation.rows) {
    nb::dict row;
    row["metric"] = metric.name;
    row["value"] = nb::cast(metric.value);
    row["low"] = metric.interval ? nb::cast(metric.interval->low) : nb::none();
    row["high"] = metric.interval ? nb::cast(metric.interval->high) : nb::none();
    row["examples"] = metric.examples;
    row["requested"] = metric.requested;
    row["note"] = metric.note;
    rows.append(row);
  }
  return rows;
}

nb::list run_evaluation(const nb::dict& arguments, const nb::dict& objects,
                        const nb::object& progress) {
  const Keywords keywords(arguments);
  const cli::ProgramContext context = program_context(keywords, objects);
  const eval::EvaluationSpec spec = spec_of(keywords, context);
  const CallOrigin origin(keywords);
  const std::unique_ptr<ProgressDisplay> display = display_of(progress);
  const std::vector<Evaluation> done = run_interruptible([&](const std::stop_token& stop) {
    return cli::run_evaluation(
        spec, context,
        {.command = "palimpsest.evaluate()",
         .display = display.get(),
         .stop = stop,
         .complete_provenance = [&](evidence::Provenance& known) { origin.complete(known); }});
  });
  nb::list results;
  for (const Evaluation& evaluation : done) {
    nb::dict result;
    result["name"] = evaluation.name;
    result["log"] = nb::cast(evaluation.log);
    result["rows"] = rows_of(evaluation);
    result["text"] = eval::results_table(evaluation);
    result["conclusions"] = eval::conclusions_text(evaluation);
    result["answer"] =
        evaluation.run.answer ? nb::cast(evaluation.run.answer->sentence) : nb::none();
    std::vector<std::string> notes = evaluation.run.notes;
    notes.insert(notes.end(), evaluation.notes.begin(), evaluation.notes.end());
    result["notes"] = nb::cast(notes);
    results.append(result);
  }
  return results;
}

}  // namespace

void add_evaluation(nb::module_& module) {
  module.def("evaluate", run_evaluation, nb::arg("arguments"), nb::arg("objects"),
             nb::arg("progress").none());
}

}  // namespace palimpsest::python
