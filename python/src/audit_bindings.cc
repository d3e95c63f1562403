#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/attack/mia_files.h"
#include "palimpsest/attack/mia_text.h"
#include "palimpsest/audit/audit.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/report/page/mia_page.h"
#include "palimpsest/report/page/page.h"
#include "palimpsest/trace/trace_writer.h"
#include "python/src/arguments.h"
#include "python/src/bindings.h"
#include "python/src/held.h"
#include "python/src/interruptible.h"
#include "python/src/keywords.h"
#include "python/src/model_options.h"

namespace palimpsest::python {
namespace {

using attack::MiaReport;
using audit::Audit;
using audit::ModelRole;

constexpr std::pair<const char*, ModelRole> kRoles[] = {{"audited", ModelRole::kAudited},
                                                        {"reference", ModelRole::kReference},
                                                        {"baseline", ModelRole::kBaseline}};

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

attack::BothSets<trace::TraceInput> both_inputs(const nb::object& pair) {
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
  spec.options = mia_options(keywords);
  return spec;
}

// A row of the attack table for a Python function of a trace, which it gets as a dict.
attack::Attack own_attack(const nb::object& given) {
  const Held function{nb::object(given.attr("score"))};
  return {.name = nb::cast<std::string>(given.attr("name")),
          .measures = nb::cast<std::string>(given.attr("measures")),
          .score = [function](const trace::Trace& trace,
                              const attack::ParameterValues&) -> std::optional<double> {
            const nb::gil_scoped_acquire acquired;
            return nb::cast<std::optional<double>>(function.get()(trace_to_python(trace)));
          }};
}

// Says the names and levels as Python's logging knows them.
constexpr int python_level(LogLevel level) {
  constexpr int kPythonStep = 10;
  return (static_cast<int>(level) + 1) * kPythonStep;
}

std::shared_ptr<Audit> run_audit(const nb::dict& arguments, const nb::dict& objects,
                                 const nb::object& log, const nb::object& progress) {
  const Keywords keywords(arguments);
  const audit::AuditSpec spec = audit_spec(keywords);
  audit::AuditContext context{.hub = cli::hub_environment()};
  keywords.read("traces_folder", context.traces);
  keywords.read("journal", context.journal);
  keywords.read("threads", context.threads);
  if (keywords.has("own_attacks")) {
    for (nb::handle own : nb::cast<nb::list>(keywords.at("own_attacks")))
      context.attacks.push_back(own_attack(nb::borrow(own)));
  }
  const std::unique_ptr<model::ModelLoader> loader = loader_of(objects);
  context.loader = loader.get();
  const Held logger(log);
  context.log = [&](LogLevel level, const std::string& text) {
    const nb::gil_scoped_acquire acquired;
    logger.get()(python_level(level), text);
  };
  const Held shown(progress);
  std::unique_ptr<ProgressDisplay> display;
  if (!progress.is_none()) {
    display = progress_to([&](const ProgressState& state) {
      const nb::gil_scoped_acquire acquired;
      shown.get()(state.label, state.done, state.total);
    });
    context.display = display.get();
  }
  return run_interruptible([&](std::stop_token stop) {
    context.stop = std::move(stop);
    return std::make_shared<Audit>(audit::audit(spec, context));
  });
}

// Where the page finds the texts of the examples.
report::SetTraceFiles trace_files(const audit::AuditTraces& traces) {
  report::SetTraceFiles files;
  const auto add = [](const trace::TraceInput& input, std::filesystem::path& file,
                      report::SetTraceFiles::Loaded& loaded) {
    file = trace::file_of(input);
    if (const auto* set = std::get_if<std::shared_ptr<const trace::TraceSet>>(&input);
        set != nullptr && *set != nullptr)
      loaded = report::SetTraceFiles::Loaded(*set, &(*set)->traces);
  };
  add(traces.audited.forget, files.forget, files.forget_loaded);
  add(traces.audited.holdout, files.holdout, files.holdout_loaded);
  return files;
}

report::PageData page_of(const Audit& done, const std::string& title) {
  MiaReport report = done.report;
  report.title = title;
  report::MiaPageOptions options;
  options.examples.traces = trace_files(done.traces);
  for (const auto& [name, text] : done.record) options.run.push_back({name, text});
  return report::mia_page(report, options);
}

// The page comes last: a reader who finds it finds the rest.
void save(const Audit& done, const std::filesystem::path& folder, const std::string& title) {
  const nb::gil_scoped_release released;
  make_folder(folder);
  write_file(folder / "mia.json", attack::mia_to_json(done.report, done.record));
  write_file(folder / "scores.csv", attack::mia_to_csv(done.report));
  const report::PageData page = page_of(done, title);
  report::write_figures(page.charts, folder);
  write_file(folder / "report.html", report::page_to_html(page));
}

nb::list charts_of(const Audit& done) {
  std::vector<std::pair<std::string, std::string>> drawn;
  {
    const nb::gil_scoped_release released;
    for (const report::Figure& figure : page_of(done, "").charts)
      drawn.emplace_back(figure.name, report::to_svg(figure.chart));
  }
  nb::list charts;
  for (const auto& [name, svg] : drawn) charts.append(nb::make_tuple(name, svg));
  return charts;
}

nb::list example_keys(const std::vector<attack::ExampleId>& examples) {
  nb::list keys;
  for (const attack::ExampleId& example : examples) keys.append(nb::cast(example.key()));
  return keys;
}

nb::object scores_of(const attack::SetScores& set) {
  std::vector<double> scores;
  scores.reserve(set.scores.size());
  for (const std::optional<double>& score : set.scores)
    scores.push_back(score.value_or(std::numeric_limits<double>::quiet_NaN()));
  return to_numpy(std::move(scores));
}

nb::object pair_or_none(const std::optional<stat::Interval>& interval) {
  if (!interval) return nb::none();
  return nb::make_tuple(interval->low, interval->high);
}

nb::list outcomes_of(const Audit& done) {
  nb::list outcomes;
  for (const attack::AttackOutcome& outcome : done.report.outcomes) {
    nb::dict row;
    row["attack"] = outcome.attack;
    row["title"] = outcome.title;
    row["auc"] = outcome.auc;
    row["auc_ci"] = pair_or_none(outcome.auc_ci);
    row["auc_ci_simultaneous"] = pair_or_none(outcome.auc_ci_simultaneous);
    row["advantage"] = outcome.rates.advantage;
    row["in_family"] = outcome.in_family;
    row["forget"] = scores_of(outcome.forget);
    row["holdout"] = scores_of(outcome.holdout);
    outcomes.append(row);
  }
  return outcomes;
}

nb::object traces_or_path(const trace::TraceInput& input) {
  if (!trace::is_given(input)) return nb::none();
  if (const auto* path = std::get_if<std::filesystem::path>(&input)) return nb::cast(*path);
  // Python never changes a TraceSet.
  return nb::cast(std::const_pointer_cast<trace::TraceSet>(
      std::get<std::shared_ptr<const trace::TraceSet>>(input)));
}

nb::dict traces_of(Audit& done) {
  nb::dict traces;
  for (const auto& [name, role] : kRoles) {
    const attack::BothSets<trace::TraceInput>& sets = done.traces.of(role);
    if (trace::is_given(sets.forget))
      traces[name] = nb::make_tuple(traces_or_path(sets.forget), traces_or_path(sets.holdout));
  }
  return traces;
}

nb::list reasons_of(const Audit& done) {
  nb::list reasons;
  for (const attack::AnswerReason& reason : done.report.answer.reasons)
    reasons.append(nb::make_tuple(reason.code, reason.text));
  return reasons;
}

}  // namespace

void add_audit(nb::module_& module) {
  const auto quietly = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<Audit>(module, "AuditResult")
      .def_prop_ro("sentence", [](const Audit& done) { return done.report.answer.sentence; })
      .def_prop_ro("verdict",
                   [](const Audit& done) {
                     return std::string(attack::name_of(done.report.answer.verdict));
                   })
      .def_prop_ro("reasons", reasons_of)
      .def_prop_ro("model", [](const Audit& done) { return done.report.shown_model(); })
      .def_prop_ro("notes", [](const Audit& done) { return done.notes; })
      .def_prop_ro("forget", [](const Audit& done) { return example_keys(done.report.forget); })
      .def_prop_ro("holdout", [](const Audit& done) { return example_keys(done.report.holdout); })
      .def_prop_ro("traces", traces_of)
      .def("outcomes", outcomes_of)
      .def(
          "json", [](const Audit& done) { return attack::mia_to_json(done.report, done.record); },
          quietly)
      .def(
          "csv", [](const Audit& done) { return attack::mia_to_csv(done.report); }, quietly)
      .def(
          "text", [](const Audit& done) { return attack::mia_to_text(done.report); }, quietly)
      .def(
          "page",
          [](const Audit& done, const std::string& title) {
            return report::page_to_html(page_of(done, title));
          },
          nb::arg("title"), quietly)
      .def("charts", charts_of)
      .def("save", save, nb::arg("folder"), nb::arg("title"));
  module.def("audit", run_audit, nb::arg("arguments"), nb::arg("objects"), nb::arg("log"),
             nb::arg("progress").none());
}

}  // namespace palimpsest::python
