#include "palimpsest/cli/run_evaluation.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "palimpsest/base/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/cli/chat.h"
#include "palimpsest/cli/json_output.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/eval/read_evaluation.h"
#include "palimpsest/report/page/page.h"
#include "palimpsest/report/page/report_page.h"

namespace palimpsest::cli {
namespace {

// The page of all that was evaluated into this evaluation's folder.
void write_page(const eval::Evaluation& evaluation, const std::vector<eval::Evaluation>& all,
                const attack::AttackTable& attacks) {
  const std::filesystem::path folder = evaluation.log.parent_path();
  std::vector<const eval::Evaluation*> together;
  for (const eval::Evaluation& other : all) {
    if (other.log.parent_path().lexically_normal() == folder.lexically_normal())
      together.push_back(&other);
  }
  report::ReportOptions
      options;  // GCC 12 takes members of a designated initializer for uninitialized
  options.attacks = attacks;
  const report::Report report = report::report_on(
      {.runs = {report::run_of(together, report::read_options(options))}}, options);
  const report::PageData page =
      report::report_page(report, {{"palimpsest", PALIMPSEST_VERSION},
                                   {"evaluation", evaluation.name},
                                   {"record", evaluation.record.string()}});
  write_file(folder / "report.html", report::page_to_html(page));
}

std::string json_line(const eval::Evaluation& evaluation) {
  Json metrics = Json::object();
  for (const eval::MetricRow& row : evaluation.rows) {
    Json& metric = metrics[row.name];
    metric["value"] = row.value ? number_to_json(*row.value) : Json();
    metric["interval"] = Json();
    if (row.interval) {
      metric["interval"] = {number_to_json(row.interval->low), number_to_json(row.interval->high)};
    }
    metric["examples"] = row.examples;
    metric["requested"] = row.requested;
    for (const auto& [key, value] : row.parameters) {
      metric["parameters"][key] = number_to_json(value);
    }
    if (row.quality) metric["effect"] = parse_json(eval::to_json_text(*row.quality), row.name);
    if (!row.note.empty()) metric["note"] = row.note;
  }
  Json line = {{"evaluation", evaluation.name},
               {"log", evaluation.log.string()},
               {"metrics", std::move(metrics)}};
  if (evaluation.answer) {
    line["answer"] = parse_json(attack::answer_to_json(*evaluation.answer), evaluation.name);
  }
  if (evaluation.retrained) {
    line["retrained_models"] =
        parse_json(eval::to_json_text(*evaluation.retrained), evaluation.name);
  }
  if (!evaluation.notes.empty()) line["notes"] = evaluation.notes;
  return to_line(line);
}

}  // namespace

eval::EvaluationSpec read_spec(const config::Value& config, const model::ModelOptions& resources,
                               const ProgramContext& context) {
  const bool has_cuda = context.make_loader(hub_environment())->has_cuda();
  return eval::read_evaluation(
      config, {.handlers = context.tables.handlers, .evaluators = context.tables.evaluators},
      {.has_cuda = has_cuda, .defaults = resources});
}

std::vector<eval::Evaluation> run_evaluation(const eval::EvaluationSpec& spec,
                                             const std::string& command,
                                             const ProgramContext& context, std::stop_token stop) {
  const model::HubEnvironment environment = hub_environment();
  const std::unique_ptr<model::ModelLoader> loader = context.make_loader(environment);
  const auto display = progress_on(stderr);
  const auto write_pages = [&](const std::vector<eval::Evaluation>& done) {
    for (const eval::Evaluation& evaluation : done)
      write_page(evaluation, done, context.tables.attacks);
  };
  return eval::evaluate(spec, {.loader = *loader,
                               .hub = environment,
                               .display = display.get(),
                               .stop = std::move(stop),
                               .now = local_time(),
                               .versions = {{"palimpsest", PALIMPSEST_VERSION}},
                               .handlers = context.tables.handlers,
                               .datasets = context.tables.datasets,
                               .command = command,
                               .on_finished = write_pages});
}

void print_evaluation(const eval::Evaluation& evaluation, bool as_json) {
  if (as_json) {
    print_json(json_line(evaluation) + "\n");
  } else {
    fmt::print("{}\n", eval::results_table(evaluation));
    const std::string conclusions = eval::conclusions_text(evaluation);
    if (!conclusions.empty()) fmt::print("{}\n", conclusions);
  }
  log_info("wrote {} and report.html beside it", evaluation.log.string());
}

}  // namespace palimpsest::cli
