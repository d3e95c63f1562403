#include "palimpsest/cli/run_evaluation.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "palimpsest/base/file.h"
#include "palimpsest/base/json.h"
#include "palimpsest/base/log.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/cli/chat.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/report/page/page.h"
#include "palimpsest/report/page/report_page.h"

namespace palimpsest::cli {
namespace {

void write_page(const eval::Evaluation& evaluation, const AttackTable& attacks) {
  const std::filesystem::path folder = evaluation.log.parent_path();
  const ReportOptions options{.attacks = attacks};
  const PageData page =
      report_page(make_report({folder}, options), {{"palimpsest", PALIMPSEST_VERSION},
                                                   {"evaluation", evaluation.name},
                                                   {"record", evaluation.record.string()}});
  write_file(folder / "report.html", page_to_html(page));
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
    line["answer"] = parse_json(answer_to_json(*evaluation.answer), evaluation.name);
  }
  if (evaluation.retrained) {
    line["retrained_models"] =
        parse_json(eval::to_json_text(*evaluation.retrained), evaluation.name);
  }
  if (!evaluation.notes.empty()) line["notes"] = evaluation.notes;
  return to_line(line);
}

}  // namespace

std::vector<eval::Evaluation> run_evaluation(const config::Value& config,
                                             const ModelOptions& resources, const Tables& tables) {
  const HubEnvironment environment = hub_environment();
  const std::unique_ptr<ModelLoader> loader = make_model_loader(environment);
  const auto display = progress_on(stderr);
  std::vector<eval::Evaluation> done = eval::evaluate(
      config,
      {.loader = *loader,
       .places = {.hub = environment, .has_cuda = loader->has_cuda(), .defaults = resources},
       .display = display.get(),
       .now = local_time(),
       .versions = {{"palimpsest", PALIMPSEST_VERSION}},
       .handlers = tables.handlers,
       .datasets = tables.datasets,
       .evaluators = tables.evaluators});
  for (const eval::Evaluation& evaluation : done) write_page(evaluation, tables.attacks);
  return done;
}

void print_evaluation(const eval::Evaluation& evaluation, bool as_json) {
  if (as_json) {
    fmt::print("{}\n", json_line(evaluation));
  } else {
    fmt::print("{}\n", eval::results_table(evaluation));
    const std::string conclusions = eval::conclusions_text(evaluation);
    if (!conclusions.empty()) fmt::print("{}\n", conclusions);
  }
  log_info("wrote {} and report.html beside it", evaluation.log.string());
}

}  // namespace palimpsest::cli
