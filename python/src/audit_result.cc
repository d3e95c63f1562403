#include "python/src/audit_result.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "palimpsest/attack/mia_files.h"
#include "palimpsest/attack/mia_text.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/output_lock.h"
#include "palimpsest/cli/mia_output.h"
#include "palimpsest/report/chart/chart.h"
#include "palimpsest/report/page/mia_page.h"
#include "palimpsest/report/page/page.h"
#include "palimpsest/trace/trace_file.h"
#include "python/src/arguments.h"
#include "python/src/bindings.h"

namespace palimpsest::python {
namespace {

namespace fs = std::filesystem;
using attack::MiaReport;

report::MiaExampleOptions examples_of(const AuditResult& done) {
  return {.traces = done.value.traces.audited};
}

report::PageData page_of(const AuditResult& done, const std::string& title) {
  MiaReport report = done.value.report;
  report.title = title;
  report::MiaPageOptions options{.examples = examples_of(done)};
  for (const auto& [name, text] : done.value.record) options.run.push_back({name, text});
  report::PageData page = report::mia_page(report, options);
  page.provenance = evidence::provenance_entries(done.provenance);
  return page;
}

// Whether the traces go into the pack. Those that the caller had in files stay where they are.
bool belongs_in_pack(const trace::TraceInput& input, bool ran_models) {
  return trace::is_given(input) && (ran_models || trace::file_of(input).empty());
}

void write_traces(const trace::TraceInput& input, const fs::path& file) {
  if (const auto* set = std::get_if<std::shared_ptr<const trace::TraceSet>>(&input)) {
    write_trace_file(**set, file);
    return;
  }
  const fs::path source = trace::file_of(input);
  std::error_code ignored;
  if (fs::equivalent(source, file, ignored)) return;
  trace::TraceReader reader(source);
  trace::TraceWriter writer(file, reader.header());
  trace::Trace trace;
  while (reader.next(trace)) writer.write(trace);
  writer.commit();
}

// Names the traces in the pack in the record, where `palimpsest report` looks for them.
void add_to_record(attack::MiaRecord& record, const std::string& title, const std::string& before,
                   const std::string& file) {
  std::erase_if(record, [&](const auto& row) { return row.first == title; });
  const auto position =
      std::ranges::find_if(record, [&](const auto& row) { return row.first == before; });
  record.emplace(position, title, file);
}

// Writes the traces that belong to the pack into its folder. Returns where all traces are now.
audit::AuditTraces save_traces(AuditResult& done, const fs::path& folder,
                               attack::MiaRecord& record) {
  const bool ran_models = !done.provenance.computing.empty();
  audit::AuditTraces saved = done.value.traces;
  for (const auto& [ignored, role] : kRoles) {
    const trace::BothSets<trace::TraceInput>& sets = done.value.traces.of(role);
    for (const auto& [set, input] :
         {std::pair("forget", &sets.forget), std::pair("holdout", &sets.holdout)}) {
      if (!belongs_in_pack(*input, ran_models)) continue;
      const std::string name = audit::trace_file_name(role, set);
      make_folder(folder / "traces");
      write_traces(*input, folder / "traces" / name);
      (set == std::string("forget") ? saved.of(role).forget : saved.of(role).holdout) =
          folder / "traces" / name;
      if (role == audit::ModelRole::kReference) continue;  // the record does not name these
      add_to_record(record, audit::trace_title(role, set),
                    role == audit::ModelRole::kAudited ? "model" : "attacks", "traces/" + name);
    }
  }
  return saved;
}

// Whether any of the traces is in the folder.
bool any_in(const fs::path& folder, const audit::AuditTraces& traces) {
  const auto is_in = [&](const trace::TraceInput& input) {
    return trace::file_of(input).parent_path() == folder;
  };
  return std::ranges::any_of(std::array{&traces.audited, &traces.reference, &traces.baseline},
                             [&](const trace::BothSets<trace::TraceInput>* sets) {
                               return is_in(sets->forget) || is_in(sets->holdout);
                             });
}

// Whether a note says where in memory something was found, which nobody can look up in the pack.
bool names_memory(const AuditResult& done) {
  const audit::AuditTraces& traces = done.value.traces;
  for (const trace::BothSets<trace::TraceInput>& sets :
       {traces.audited, traces.reference, traces.baseline}) {
    for (const trace::TraceInput& input : {sets.forget, sets.holdout}) {
      if (!trace::is_given(input) || !trace::file_of(input).empty()) continue;
      const std::string memory = trace::open_traces(input)->name() + ", ";
      for (const std::string& note : done.value.report.notes) {
        if (note.find(memory) != std::string::npos) return true;
      }
    }
  }
  return false;
}

// The report, with locations in the files of the pack instead of memory. With attacks of the caller
// it stays as it is: `palimpsest verify` does not compute it again.
MiaReport report_of_files(const AuditResult& done, const audit::AuditTraces& saved) {
  if (done.has_own_attacks || !names_memory(done)) return done.value.report;
  audit::AuditSpec spec = done.spec;
  spec.source = saved;
  MiaReport report = audit::audit(spec, {.threads = done.threads}).report;
  report.warnings = done.value.report.warnings;
  return report;
}

void save(AuditResult& done, const fs::path& folder, const std::string& title) {
  const nb::gil_scoped_release released;
  const OutputLock lock = OutputLock::of_folder(folder, "palimpsest.Audit.save()");
  evidence::require_own_folder(folder, "mia");
  attack::MiaRecord record = done.value.record;
  const audit::AuditTraces saved = save_traces(done, folder, record);
  const bool has_traces = any_in(folder / "traces", saved);
  MiaReport report = report_of_files(done, saved);
  report.title = title;
  evidence::Provenance provenance = done.provenance;
  provenance.started = evidence::first_start(folder, evidence::identity_of(provenance),
                                             provenance.started, /*keep=*/false);
  const std::string no_plan;
  cli::write_mia_pack(report, {.out = folder.string()}, record, examples_of(done),
                      {.provenance = provenance, .plan = no_plan, .has_traces = has_traces});
}

nb::list charts_of(const AuditResult& done) {
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

nb::list outcomes_of(const AuditResult& done) {
  nb::list outcomes;
  for (const attack::AttackOutcome& outcome : done.value.report.outcomes) {
    nb::dict row;
    row["attack"] = outcome.name;
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

nb::dict traces_of(AuditResult& done) {
  nb::dict traces;
  for (const auto& [name, role] : kRoles) {
    const trace::BothSets<trace::TraceInput>& sets = done.value.traces.of(role);
    if (trace::is_given(sets.forget))
      traces[name] = nb::make_tuple(traces_or_path(sets.forget), traces_or_path(sets.holdout));
  }
  return traces;
}

nb::list reasons_of(const AuditResult& done) {
  nb::list reasons;
  for (const attack::AnswerReason& reason : done.value.report.answer.reasons)
    reasons.append(nb::make_tuple(reason.code, reason.text));
  return reasons;
}

}  // namespace

void add_audit_result(nb::module_& module) {
  const auto quietly = nb::call_guard<nb::gil_scoped_release>();
  const auto report_of = [](const AuditResult& done) -> const MiaReport& {
    return done.value.report;
  };
  nb::class_<AuditResult>(module, "AuditResult")
      .def_prop_ro("sentence",
                   [=](const AuditResult& done) { return report_of(done).answer.sentence; })
      .def_prop_ro("verdict",
                   [=](const AuditResult& done) {
                     return std::string(attack::name_of(report_of(done).answer.verdict));
                   })
      .def_prop_ro("reasons", reasons_of)
      .def_prop_ro("model", [=](const AuditResult& done) { return report_of(done).shown_model(); })
      .def_prop_ro("notes", [](const AuditResult& done) { return done.value.notes; })
      .def_prop_ro("forget", [=](const AuditResult& done) { return report_of(done).forget.list(); })
      .def_prop_ro("holdout",
                   [=](const AuditResult& done) { return report_of(done).holdout.list(); })
      .def_prop_ro("traces", traces_of)
      .def("outcomes", outcomes_of)
      .def(
          "json",
          [=](const AuditResult& done) {
            return attack::mia_to_json(report_of(done), done.value.record);
          },
          quietly)
      .def(
          "csv", [=](const AuditResult& done) { return attack::mia_to_csv(report_of(done)); },
          quietly)
      .def(
          "text", [=](const AuditResult& done) { return attack::mia_to_text(report_of(done)); },
          quietly)
      .def(
          "page",
          [](const AuditResult& done, const std::string& title) {
            return report::page_to_html(page_of(done, title));
          },
          nb::arg("title"), quietly)
      .def("charts", charts_of)
      .def("save", save, nb::arg("folder"), nb::arg("title"));
}

}  // namespace palimpsest::python
