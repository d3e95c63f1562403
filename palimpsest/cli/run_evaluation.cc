#include "palimpsest/cli/run_evaluation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/base/internal/output_lock.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/cli/chat.h"
#include "palimpsest/cli/json_output.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/cli/pack.h"
#include "palimpsest/eval/data_files.h"
#include "palimpsest/eval/read_evaluation.h"
#include "palimpsest/report/page/page.h"
#include "palimpsest/report/page/report_page.h"
#include "palimpsest/stat/internal/optional_json.h"

namespace palimpsest::cli {
namespace {

// The page of all that was evaluated into the folder.
void write_page(const std::filesystem::path& folder,
                const std::vector<const eval::Evaluation*>& together,
                const attack::AttackTable& attacks, const evidence::Provenance& provenance) {
  report::ReportOptions options;
  options.attacks = attacks;
  const report::Report report = report::report_on(
      {.runs = {report::run_of(together, report::read_options(options))}}, options);
  std::vector<std::string> names;
  std::vector<std::string> records;
  for (const eval::Evaluation* one : together) {
    names.push_back(one->name);
    records.push_back(one->record.string());
  }
  report::PageData page =
      report::report_page(report, {{"palimpsest", PALIMPSEST_VERSION},
                                   {"evaluation", fmt::format("{}", fmt::join(names, ", "))},
                                   {"record", fmt::format("{}", fmt::join(records, ", "))}});
  page.provenance = evidence::provenance_entries(provenance);
  write_file(folder / "report.html", report::page_to_html(page));
}

// The evaluations into one folder.
std::vector<const eval::Evaluation*> evaluations_in(const std::filesystem::path& folder,
                                                    const std::vector<eval::Evaluation>& all) {
  std::vector<const eval::Evaluation*> together;
  for (const eval::Evaluation& one : all) {
    if (real_output_path(one.log.parent_path()) == real_output_path(folder))
      together.push_back(&one);
  }
  return together;
}

// What these evaluators wrote, the kept logs of earlier runs among it.
std::vector<std::string> pack_entries(const std::filesystem::path& folder,
                                      const std::vector<const eval::Evaluation*>& evaluations) {
  std::vector<std::string> entries = {"report.html"};
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    for (const eval::Evaluation* one : evaluations) {
      if (!name.starts_with(one->name + "_")) continue;
      entries.push_back(name);
      break;
    }
  }
  return entries;
}

// Every data file of the evaluation once, by the name of the first data set that reads it. A
// handler with other arguments reads its data elsewhere; NAME_RUN.json has the fingerprint of all.
std::vector<evidence::InputFile> data_files(const eval::EvaluationSpec& spec,
                                            const model::HubEnvironment& hub) {
  std::vector<evidence::InputFile> files;
  for (const eval::EvaluatorSpec& evaluator : spec.evaluators) {
    for (const eval::MetricSpec& metric : evaluator.metrics) {
      for (const eval::DatasetSpec& dataset : metric.datasets) {
        const eval::Parameter* source = dataset.args.find("hf_args");
        if (source == nullptr) continue;
        const std::filesystem::path file =
            eval::find_data_file(*source, {.data_dir = spec.data_dir, .hub = hub}).path;
        if (std::ranges::find(files, file, &evidence::InputFile::second) == files.end())
          files.emplace_back("data " + dataset.name, file);
      }
    }
  }
  return files;
}

// provenance.json of an evaluation, one per folder, begun before the model runs.
class EvaluationPacks {
 public:
  EvaluationPacks(const eval::EvaluationSpec& spec, const ProgramContext& context,
                  const EvaluationCall& call)
      : spec_(spec), call_(call), provenance_(begin_provenance("eval", context)) {
    provenance_.settings = call.settings;
    provenance_.settings.push_back({"seed", std::to_string(spec.seed)});
  }

  // A run that computes keeps the time of its first start, because its finished parts are kept.
  void begin(model::ModelLoader& loader, const evidence::HashingContext& hashing) {
    const eval::ModelSettings& model = spec_.model;
    provenance_.inputs = evidence::model_inputs(
        model.folder.empty() ? model.name : model.folder.string(), loader, hashing);
    for (evidence::Input& input : evidence::file_inputs(data_files(spec_, hashing.hub), hashing)) {
      provenance_.inputs.push_back(std::move(input));
    }
    provenance_.computing = compute_settings(model.options);
    if (call_.complete_provenance) call_.complete_provenance(provenance_);
    const std::string identity = evidence::identity_of(provenance_);
    const std::string now = utc_now();
    for (const eval::EvaluatorSpec& evaluator : spec_.evaluators) {
      const std::filesystem::path folder = real_output_path(evaluator.output_dir);
      if (started_.contains(folder)) continue;
      started_[folder] = evidence::first_start(folder, identity, now, call_.work.computes);
      if (call_.work.computes) evidence::begin_replacing(folder);
    }
  }

  // One page per folder, and after them the hashes of everything.
  void finish(const std::vector<eval::Evaluation>& done, const attack::AttackTable& attacks) {
    for (const eval::Evaluation& evaluation : done) {
      const std::filesystem::path folder = evaluation.log.parent_path();
      const auto together = evaluations_in(folder, done);
      if (together.front() == &evaluation) write_page(folder, together, attacks, of(folder));
    }
    for (const auto& [folder, started] : started_)
      finish_pack(folder, of(folder), pack_entries(folder, evaluations_in(folder, done)));
  }

 private:
  evidence::Provenance of(const std::filesystem::path& folder) const {
    evidence::Provenance provenance = provenance_;
    const auto found = started_.find(real_output_path(folder));
    if (found != started_.end()) provenance.started = found->second;
    return provenance;
  }

  const eval::EvaluationSpec& spec_;
  const EvaluationCall& call_;
  evidence::Provenance provenance_;
  std::map<std::filesystem::path, std::string> started_;  // by real_output_path()
};

std::string json_line(const eval::Evaluation& evaluation) {
  Json metrics = Json::object();
  for (const eval::MetricRow& row : evaluation.rows) {
    Json& metric = metrics[row.name];
    metric["value"] = stat::optional_to_json(row.value);
    metric["interval"] = stat::interval_to_json(row.interval);
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
  if (evaluation.run.answer) {
    line["answer"] = parse_json(attack::answer_to_json(*evaluation.run.answer), evaluation.name);
  }
  line["flags"] = parse_json(attack::flags_to_json(evaluation.run.flags), evaluation.name);
  if (evaluation.run.retrained) {
    line["retrained_models"] =
        parse_json(eval::to_json_text(*evaluation.run.retrained), evaluation.name);
  }
  if (!evaluation.run.notes.empty()) line["notes"] = evaluation.run.notes;
  return to_line(line);
}

}  // namespace

eval::EvaluationSpec read_spec(const config::Value& config, const model::ModelOptions& resources,
                               const ProgramContext& context) {
  const bool has_cuda = context.make_loader(hub_environment())->has_cuda();
  return eval::read_evaluation(
      config, {.handlers = context.tables.handlers(), .evaluators = context.tables.evaluators},
      {.has_cuda = has_cuda, .defaults = resources});
}

std::vector<eval::Evaluation> run_evaluation(const eval::EvaluationSpec& spec,
                                             const ProgramContext& context,
                                             const EvaluationCall& call) {
  const model::HubEnvironment hub = hub_environment();
  const std::unique_ptr<model::ModelLoader> loader = context.make_loader(hub);
  eval::EvaluationContext how{.loader = *loader,
                              .hub = hub,
                              .display = call.display,
                              .stop = call.stop,
                              .work = call.work,
                              .now = local_time(),
                              .versions = {{"palimpsest", PALIMPSEST_VERSION}},
                              .handlers = context.tables.handlers(),
                              .datasets = context.tables.datasets,
                              .command = call.command};
  const auto require_own_folders = [&] {
    for (const eval::EvaluatorSpec& evaluator : spec.evaluators)
      evidence::require_own_folder(evaluator.output_dir, "eval");
  };
  if (!call.work.has_results()) {
    if (call.work.shard) how.before_models = require_own_folders;
    eval::evaluate_shard(spec, how);
    return {};
  }
  EvaluationPacks packs(spec, context, call);
  const evidence::HashingContext hashing{
      .hub = hub, .cache = hash_cache(), .stop = call.stop, .display = call.display};
  how.before_models = [&] {
    require_own_folders();
    packs.begin(*loader, hashing);
  };
  how.on_finished = [&](const std::vector<eval::Evaluation>& done) {
    packs.finish(done, context.tables.attacks);
  };
  return eval::evaluate(spec, how);
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
