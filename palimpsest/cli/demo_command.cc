// The demo is a whole audit of unlearning in which it is known what each model was trained on. It
// makes up data and makes the four models that every audit should compare; one of them is made to
// forget. Then it evaluates all of them and puts the results on one page. Everything is in one
// folder. If the demo is run again, it does not repeat the steps that are finished there.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/base/internal/output_lock.h"
#include "palimpsest/base/internal/table.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/configurations.h"
#include "palimpsest/cli/interruption.h"
#include "palimpsest/cli/json_output.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/cli/program.h"
#include "palimpsest/cli/run_evaluation.h"
#include "palimpsest/config/compose.h"
#include "palimpsest/evidence/provenance.h"
#include "palimpsest/lab/internal/tokenizer_files.h"
#include "palimpsest/lab/lab_data.h"
#include "palimpsest/lab/training.h"
#include "palimpsest/lab/unlearning.h"
#include "palimpsest/report/page/page.h"
#include "palimpsest/report/page/report_page.h"
#include "palimpsest/report/report.h"
#include "palimpsest/stat/internal/optional_json.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::cli {
namespace {

namespace fs = std::filesystem;

struct DemoOptions {
  fs::path out = "palimpsest-demo";
  uint64_t seed = 0;
  int64_t authors = 400;       // number of authors that models may be trained on
  int64_t epochs = 15;         // number of epochs of training
  std::string method = "npo";  // the method of unlearning (lab/unlearning.h)
  int threads = 0;             // 0: one per core
  ProgressDisplay* display = nullptr;
  std::stop_token stop = {};  // if a stop is requested, run_demo() throws Stopped
};

// A model of the demo and what the evaluation found.
struct DemoModel {
  std::string name;   // the name of its folder, such as "original"
  std::string story;  // what was done to it
  fs::path checkpoint;
  fs::path results;           // the folder of its logs
  std::optional<double> auc;  // of the loss attack
  std::optional<stat::Interval> interval;
  std::optional<double> forget_rouge;  // how much of the forget answers it still gives
  std::optional<double> utility;
  std::optional<double> forget_quality;
  std::optional<attack::Answer> answer;  // the answer of all attacks together; clusters are authors
};

struct DemoResult {
  std::vector<DemoModel> models;  // the unlearned model, the one to judge, is first
  fs::path page;
};

constexpr const char* kDemo = "palimpsest demo";

// Where things are in the demo's folder.
struct DemoFolders {
  fs::path out;
  fs::path data = out / "data" / "TOFU";  // as the configurations for TOFU look for it
  fs::path tokenizer = out / "data" / "tokenizer";

  fs::path file(const char* name) const { return data / (std::string(name) + ".json"); }
  fs::path model(const std::string& name) const { return out / "models" / name; }
  fs::path results(const std::string& name) const { return out / "evals" / name; }
};

void make_data(const DemoFolders& folders, const DemoOptions& options) {
  const OutputLock lock = OutputLock::of_folder(folders.data.parent_path(), kDemo);
  const lab::LabData data = lab::make_lab_data({.seed = options.seed, .authors = options.authors});
  lab::write_lab_data(data, folders.data);
  lab::write_tokenizer(lab::train_tokenizer(lab::tokenizer_texts(data), 1024), folders.tokenizer);
  log_info("made up {} questions to retain, {} to forget, {} held out", data.retain.size(),
           data.forget.size(), data.holdout.size());
}

void make_models(const DemoFolders& folders, const DemoOptions& options) {
  auto train = [&](const std::string& name, const char* data, int64_t epochs) {
    const lab::TrainOptions training{.data = {folders.file(data), folders.file("general")},
                                     .tokenizer = folders.tokenizer,
                                     .out = folders.model(name),
                                     .epochs = epochs,
                                     .seed = options.seed,
                                     .threads = options.threads,
                                     .display = options.display,
                                     .stop = options.stop};
    const lab::TrainResult result = lab::train_model(training);
    log_info("{}: {}", name,
             result.reused ? "already exists"
                           : fmt::format("{} steps, loss {:.3f}", result.steps, result.loss));
  };
  train("original", "full", options.epochs);
  train("retrained", "retain90", options.epochs);
  train("random", "full", 0);
  const lab::UnlearnResult result =
      lab::unlearn_model({.model = folders.model("original"),
                          .forget = {folders.file("forget10")},
                          .retain = {folders.file("retain90")},
                          .out = folders.model("unlearned"),
                          .method = lab::unlearn_method(options.method).method,
                          .seed = options.seed,
                          .threads = options.threads,
                          .display = options.display,
                          .stop = options.stop});
  log_info("unlearned ({}): {}", options.method,
           result.reused ? "already exists"
                         : fmt::format("{} steps, forget loss {:.3f}, retain loss {:.3f}",
                                       result.steps, result.forget_loss, result.retain_loss));
}

// The log that others are compared with becomes this one: of the evaluator and of all its metrics.
void set_retain_log(eval::EvaluatorSpec& evaluator, const fs::path& log) {
  evaluator.inference.retain_logs = {log.string()};
  for (eval::MetricSpec& metric : evaluator.metrics) {
    for (eval::ReferenceLogSpec& other : metric.reference_logs) other.paths = {log.string()};
  }
}

void set_reference_model(eval::EvaluatorSpec& evaluator, const fs::path& model) {
  constexpr const char* kKey = "reference_model_path";
  for (eval::MetricSpec& metric : evaluator.metrics) {
    if (metric.parameters.find(kKey) != nullptr) metric.parameters.set(kKey, model.string());
  }
}

// What configs/experiment/demo.yaml asks about a model, which lies where the demo put it.
eval::EvaluationSpec demo_spec(const DemoFolders& folders, const std::string& name,
                               const fs::path& results, const std::optional<fs::path>& logs,
                               int threads, const ProgramContext& context) {
  const config::ConfigContext config_context = process_context();
  const config::Composition job = config::compose(
      {.folders = {shipped_configs(context)}, .config_name = "eval.yaml"},
      config::parse_overrides({logs ? "experiment=demo" : "experiment=demo_reference"}),
      config_context);
  eval::EvaluationSpec spec =
      read_spec(config::resolve(job, config_context, config::OnFailure::kKeep),
                {.threads = threads}, context);
  spec.model.name = fs::absolute(folders.model(name)).string();
  spec.model.tokenizer = spec.model.name;
  spec.data_dir = fs::absolute(folders.data.parent_path());
  for (eval::EvaluatorSpec& evaluator : spec.evaluators) {
    evaluator.output_dir = fs::absolute(results);
    set_reference_model(evaluator, fs::absolute(folders.model("retrained")));
    if (logs) set_retain_log(evaluator, fs::absolute(*logs));
  }
  return spec;
}

eval::Evaluation evaluate_model(const DemoFolders& folders, const std::string& name,
                                const fs::path& results, const std::optional<fs::path>& logs,
                                const DemoOptions& options, const ProgramContext& context) {
  if (options.stop.stop_requested()) throw Stopped();
  std::vector<eval::Evaluation> done =
      run_evaluation(demo_spec(folders, name, results, logs, options.threads, context), context,
                     {.command = kDemo, .display = options.display, .stop = options.stop});
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
  model.answer = evaluation.run.answer;
}

std::string number(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "n/a";
}

// If the folder cannot be used, throws Error before any long work begins.
DemoResult run_demo(const DemoOptions& options, const ProgramContext& context) {
  check_threads(options.threads);
  lab::unlearn_method(options.method);
  const DemoFolders folders{.out = options.out};
  const OutputLock lock = OutputLock::of_folder(folders.out, kDemo);
  evidence::require_own_folder(folders.out, "demo");  // which has none of its own
  make_data(folders, options);
  make_models(folders, options);

  // The retrained model's log is what the others are measured against, itself included.
  const eval::Evaluation reference = evaluate_model(
      folders, "retrained", folders.results("reference"), std::nullopt, options, context);
  report::ReportOptions report_options;
  report_options.attacks = context.tables.attacks;
  std::vector<report::RunResults> runs;
  DemoResult result;
  for (const auto& [name, story] : {std::pair{"unlearned", "the original, made to forget"},
                                    std::pair{"original", "trained on everything"},
                                    std::pair{"retrained", "trained without the forget set"},
                                    std::pair{"random", "not trained at all"}}) {
    DemoModel model{.name = name,
                    .story = story,
                    .checkpoint = folders.model(name),
                    .results = folders.results(name)};
    const eval::Evaluation evaluation =
        evaluate_model(folders, name, model.results, reference.log, options, context);
    take_results(evaluation, model);
    runs.push_back(report::run_of({&evaluation}, report::read_options(report_options)));
    result.models.push_back(std::move(model));
  }
  const report::Report report = report::report_on({.runs = std::move(runs)}, report_options);
  const report::PageData page = report::report_page(report, {{"palimpsest", PALIMPSEST_VERSION},
                                                             {"seed", std::to_string(options.seed)},
                                                             {"unlearning", options.method}});
  report::write_report(report, folders.out);
  result.page = folders.out / "report.html";
  write_file(result.page, report::page_to_html(page));
  return result;
}

// A text for people: what was measured, the verdict on each model, the answer about the unlearned
// model, and where the page is.
std::string demo_text(const DemoResult& result) {
  Table table({"model", "what it is", "AUC (loss)", "interval", "verdict", "forget ROUGE",
               "utility", "forget quality"});
  for (const DemoModel& model : result.models) {
    const bool judged = model.auc && model.interval;
    table.add_row(
        {model.name, model.story, number(model.auc, 3),
         judged ? fmt::format("{:.3f} … {:.3f}", model.interval->low, model.interval->high) : "",
         model.answer ? attack::verdict_words(model.answer->verdict) : "",
         number(model.forget_rouge, 2), number(model.utility, 2),
         model.forget_quality ? fmt::format("{:.2g}", *model.forget_quality) : "n/a"});
  }
  constexpr size_t kWidth = 92;
  std::string answer;
  if (const DemoModel& first = result.models.front(); first.answer) {
    answer =
        wrapped(fmt::format("The {} model: {}", first.name, first.answer->sentence), kWidth, 0);
  }
  return fmt::format(
      "\n"
      "{}\n"
      "{}\n"
      "AUC: how well the loss distinguishes the texts to forget from texts that no model saw;\n"
      "0.5 is the goal, 1 plainly remembered. Interval: 95%, over authors. Verdict: the answer\n"
      "of all attacks together. A model is compared with the retrained one; the retrained one\n"
      "itself is judged by how well attacks distinguish the texts to forget from unseen texts.\n"
      "Forget ROUGE: how much the model still repeats of the answers that it should forget.\n"
      "Utility: what it still knows of everything else. Forget quality: the p-value of a test\n"
      "against the retrained model, by its published definition.\n\n"
      "The page with all of it: {}\n",
      table.to_string(), answer, result.page.string());
}

// The same for programs, as a JSON object.
std::string demo_json(const DemoResult& result) {
  Json models = Json::array();
  for (const DemoModel& model : result.models) {
    Json one = {{"name", model.name},
                {"what", model.story},
                {"checkpoint", model.checkpoint.string()},
                {"results", model.results.string()},
                {"auc", stat::optional_to_json(model.auc)},
                {"auc_interval", stat::interval_to_json(model.interval)},
                {"forget_rouge", stat::optional_to_json(model.forget_rouge)},
                {"utility", stat::optional_to_json(model.utility)},
                {"forget_quality", stat::optional_to_json(model.forget_quality)},
                {"answer", nullptr}};
    if (model.answer) one["answer"] = parse_json(attack::answer_to_json(*model.answer), model.name);
    models.push_back(std::move(one));
  }
  return to_text({{"models", std::move(models)}, {"page", result.page.string()}});
}

}  // namespace

void add_demo_command(Command& program, const ProgramContext& context) {
  Command command = program.subcommand(
      "demo", "Run a whole unlearning audit on models made on the spot; nothing is downloaded");
  auto options = std::make_shared<DemoOptions>();
  command.option("--out", options->out, "Folder for data, models, results and the page")
      .show_default();
  command.option("--seed", options->seed, "Seed of the data and the models").show_default();
  command
      .option("--authors", options->authors,
              "Made-up authors to train on; fewer take less time and show less")
      .show_default();
  command.option("--epochs", options->epochs, "Passes of training over the data").show_default();
  command
      .option("--method", options->method,
              "How the model is made to forget: grad_ascent, grad_diff, kl, npo, simnpo")
      .completes({"grad_ascent", "grad_diff", "kl", "npo", "simnpo"})
      .show_default();
  command.option("--threads", options->threads, "Number of threads for training; 0: one per core")
      .show_default();
  auto as_json = std::make_shared<bool>(false);
  command.flag("--json", *as_json, "Print the results as JSON");
  command.action([options, as_json, &context] {
    const auto display = progress_on(stderr);
    options->display = display.get();
    interruptible(AfterStop::kResumes, [&](const std::stop_token& stop) {
      options->stop = stop;
      const DemoResult result = run_demo(*options, context);
      if (*as_json) {
        print_json(demo_json(result));
      } else {
        fmt::print("{}", demo_text(result));
      }
    });
  });
}

}  // namespace palimpsest::cli
