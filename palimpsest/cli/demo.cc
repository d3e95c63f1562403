#include "palimpsest/cli/demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/base/log.h"
#include "palimpsest/base/table.h"
#include "palimpsest/cli/run_evaluation.h"
#include "palimpsest/cli/shipped_configs.h"
#include "palimpsest/cli/surroundings.h"
#include "palimpsest/config/compose.h"
#include "palimpsest/lab/lab_data.h"
#include "palimpsest/lab/tokenizer_files.h"
#include "palimpsest/lab/training.h"
#include "palimpsest/lab/unlearning.h"
#include "palimpsest/report/page/page.h"
#include "palimpsest/report/page/report_page.h"
#include "palimpsest/report/report.h"

namespace palimpsest::cli {
namespace {

namespace fs = std::filesystem;

// Where things are in the demo's folder.
struct Places {
  fs::path out;
  fs::path data = out / "data" / "TOFU";  // as the configurations for TOFU look for it
  fs::path tokenizer = out / "data" / "tokenizer";

  fs::path file(const char* name) const { return data / (std::string(name) + ".json"); }
  fs::path model(const std::string& name) const { return out / "models" / name; }
  fs::path results(const std::string& name) const { return out / "evals" / name; }
};

void make_data(const Places& places, uint64_t seed) {
  const lab::LabData data = lab::make_lab_data({.seed = seed});
  lab::write_lab_data(data, places.data);
  lab::write_tokenizer(lab::train_tokenizer(lab::tokenizer_texts(data), 1024), places.tokenizer);
  log_info("made up {} questions to retain, {} to forget, {} held out", data.retain.size(),
           data.forget.size(), data.holdout.size());
}

void make_models(const Places& places, const DemoOptions& options) {
  auto train = [&](const std::string& name, const char* data, int64_t epochs) {
    lab::TrainOptions training{.data = {places.file(data), places.file("general")},
                               .tokenizer = places.tokenizer,
                               .out = places.model(name),
                               .seed = options.seed,
                               .threads = options.threads,
                               .display = options.display};
    if (epochs >= 0) training.epochs = epochs;
    const lab::TrainResult result = lab::train_model(training);
    log_info("{}: {}", name,
             result.reused ? "was there already"
                           : fmt::format("{} steps, loss {:.3f}", result.steps, result.loss));
  };
  train("original", "full", -1);
  train("retrained", "retain90", -1);
  train("random", "full", 0);
  const lab::UnlearnResult result =
      lab::unlearn_model({.model = places.model("original"),
                          .forget = {places.file("forget10")},
                          .retain = {places.file("retain90")},
                          .out = places.model("unlearned"),
                          .method = lab::unlearn_method(options.method).method,
                          .seed = options.seed,
                          .threads = options.threads,
                          .display = options.display});
  log_info("unlearned ({}): {}", options.method,
           result.reused ? "was there already"
                         : fmt::format("{} steps, forget loss {:.3f}, retain loss {:.3f}",
                                       result.steps, result.forget_loss, result.retain_loss));
}

// A value of an override, whatever is in it.
std::string quoted(const fs::path& path) {
  std::string text = "'";
  for (const char c : fs::absolute(path).string()) {
    if (c == '\'' || c == '\\') text += '\\';
    text += c;
  }
  return text + "'";
}

// Evaluates a model as configs/experiment/demo.yaml says.
eval::Evaluation evaluate_model(const Places& places, const std::string& name,
                                const fs::path& results, const std::optional<fs::path>& logs,
                                int threads) {
  std::vector<std::string> overrides = {
      logs ? "experiment=demo" : "experiment=demo_reference",
      "task_name=" + name,
      "model.model_args.pretrained_model_name_or_path=" + quoted(places.model(name)),
      "model.tokenizer_args.pretrained_model_name_or_path=" + quoted(places.model(name)),
      "paths.data_dir=" + quoted(places.data.parent_path()),
      "paths.output_dir=" + quoted(results),
      "reference_model=" + quoted(places.model("retrained"))};
  if (logs) overrides.push_back("retain_logs_path=" + quoted(*logs));
  const config::Surroundings world = surroundings();
  const config::Composition job =
      config::compose({.folders = {shipped_configs()}, .config_name = "eval.yaml"},
                      config::parse_overrides(overrides), world);
  std::vector<eval::Evaluation> done = run_evaluation(
      config::resolve(job, world, config::OnFailure::kKeep), {.threads = threads}, {});
  PALIMPSEST_CHECK(done.size() == 1);
  return std::move(done.front());
}

const eval::MetricRow* find_row(const eval::Evaluation& evaluation, std::string_view name) {
  const auto found = std::find_if(evaluation.rows.begin(), evaluation.rows.end(),
                                  [&](const eval::MetricRow& row) { return row.name == name; });
  return found == evaluation.rows.end() ? nullptr : &*found;
}

void take_results(const eval::Evaluation& evaluation, DemoModel& model) {
  if (const eval::MetricRow* row = find_row(evaluation, "mia_loss")) {
    model.auc = row->value;
    model.interval = row->interval;
  }
  auto value = [&](std::string_view name) -> std::optional<double> {
    const eval::MetricRow* row = find_row(evaluation, name);
    return row == nullptr ? std::nullopt : row->value;
  };
  model.forget_rouge = value("forget_Q_A_ROUGE");
  model.utility = value("model_utility");
  model.forget_quality = value("forget_quality");
  model.answer = evaluation.answer;
}

// "not decided"
std::string verdict_words(const Answer& answer) {
  std::string words(name_of(answer.verdict));
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string number(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "n/a";
}

}  // namespace

DemoResult run_demo(const DemoOptions& options) {
  lab::unlearn_method(options.method);
  const Places places{.out = options.out};
  make_folder(places.out);
  make_data(places, options.seed);
  make_models(places, options);

  // The retrained model's log is what the others are measured against, itself included.
  const eval::Evaluation reference = evaluate_model(
      places, "retrained", places.results("reference"), std::nullopt, options.threads);
  DemoResult result;
  for (const auto& [name, story] : {std::pair{"unlearned", "the original, made to forget"},
                                    std::pair{"original", "trained on everything"},
                                    std::pair{"retrained", "trained without the forget set"},
                                    std::pair{"random", "not trained at all"}}) {
    DemoModel model{.name = name,
                    .story = story,
                    .checkpoint = places.model(name),
                    .results = places.results(name)};
    take_results(evaluate_model(places, name, model.results, reference.log, options.threads),
                 model);
    result.models.push_back(std::move(model));
  }

  std::vector<fs::path> runs;
  for (const DemoModel& model : result.models) runs.push_back(model.results);
  const ReportOptions report_options;
  const Report report = make_report(runs, report_options);
  const PageData page = report_page(report, {{"palimpsest", PALIMPSEST_VERSION},
                                             {"seed", std::to_string(options.seed)},
                                             {"unlearning", options.method}});
  write_report(report, places.out);
  result.page = places.out / "report.html";
  write_file(result.page, page_to_html(page));
  return result;
}

std::string demo_text(const DemoResult& result) {
  Table table({"model", "what it is", "AUC (loss)", "interval", "verdict", "forget ROUGE",
               "utility", "forget quality"});
  for (const DemoModel& model : result.models) {
    const bool judged = model.auc && model.interval;
    table.add_row(
        {model.name, model.story, number(model.auc, 3),
         judged ? fmt::format("{:.3f} … {:.3f}", model.interval->low, model.interval->high) : "",
         model.answer ? verdict_words(*model.answer) : "", number(model.forget_rouge, 2),
         number(model.utility, 2),
         model.forget_quality ? fmt::format("{:.2g}", *model.forget_quality) : "n/a"});
  }
  constexpr size_t kWidth = 92;
  std::string answer;
  if (const DemoModel& first = result.models.front(); first.answer) {
    answer =
        wrapped(fmt::format("The {} model: {}", first.name, first.answer->sentence), kWidth, 0);
  }
  return fmt::format(
      "\n{}\n"
      "{}\n"
      "AUC: how well the loss tells what was to be forgotten from what no model ever saw; 0.5 is\n"
      "the goal, 1 plainly remembered. Interval: 95%, over authors. Verdict: that of all attacks\n"
      "together, against the retrained model; of the retrained one against text that it never "
      "saw.\n"
      "Forget ROUGE: how much of the answers that were to be forgotten the model still gives.\n"
      "Utility: what it still knows of everything else. Forget quality: the p-value of a test\n"
      "against the retrained model, by its published definition.\n\n"
      "The page with all of it: {}\n",
      table.to_string(), answer, result.page.string());
}

}  // namespace palimpsest::cli
