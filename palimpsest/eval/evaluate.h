// Evaluating a model as a resolved configuration says: the whole of `palimpsest eval` after
// composition. What is wrong with the configuration or the data is found before the model is loaded.
//
//   const std::vector<Evaluation> done = evaluate(config, {.loader = loader, …});
//   results_table(done.front());
//
// For every evaluator, in its output folder (NAME is TOFU, MUSE …):
//   NAME_EVAL.json      every metric's result, pre_computed ones too (see eval_log.h)
//   NAME_SUMMARY.json   agg_value of the metrics that were asked for
//   NAME_RUN.json       how they came about (see run_record.h)
//   NAME_TRACES/        the traces, a file a data set
// All of them are replaced in one step, after each metric. A rerun computes what is not finished or
// was made with another model, other data or another configuration; killed at any time it loses at
// most the batch that was running.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/config/value.h"
#include "palimpsest/eval/evaluator.h"
#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/model_settings.h"
#include "palimpsest/model/model_loader.h"
#include "palimpsest/text/chat_template.h"

namespace palimpsest::eval {

// What the program brings along.
struct EvaluationContext {
  ModelLoader& loader;
  ModelPlaces places = {};
  ProgressDisplay* display = nullptr;
  std::stop_token stop = {};                         // asked before every batch: throws Stopped
  std::optional<ChatTime> now = {};                  // for chat templates that ask for the time
  std::map<std::string, std::string> versions = {};  // for the record: {"palimpsest": "0.1.0"}
  // Of attacks of one's own: make_handler_table(attacks).
  HandlerTable handlers = default_handler_table();
  DatasetTable datasets = default_dataset_table();
  EvaluatorTable evaluators = default_evaluator_table();
};

// A metric's line of the results.
struct MetricRow {
  std::string name;
  bool requested = false;
  Number value;
  std::optional<Interval> interval;  // 95%, over clusters of examples
  int64_t examples = 0;              // 0: it is made of other metrics
  bool reused = false;               // finished before
  AttackParameters parameters = {};  // of an attack
  std::optional<ForgetQuality> quality = {};
  std::string note = {};  // "published definition …"
};

// What an evaluator did.
struct Evaluation {
  std::string name;
  std::filesystem::path log;
  std::filesystem::path summary;
  std::filesystem::path record;
  std::vector<MetricRow> rows;        // those that were asked for in their order, then the others
  std::optional<Answer> answer = {};  // where there are attacks
  std::optional<RetrainedModels> retrained = {};
  std::vector<std::string> notes = {};
};

// `config` holds model, eval, seed and, if wanted, paths.data_dir (or data_dir).
std::vector<Evaluation> evaluate(const config::Value& config, const EvaluationContext& context);

// For people: metric, value, interval, examples.
std::string results_table(const Evaluation& evaluation);

// For people, below the table: how far the model is from several retrained ones, the answer, notes.
// Empty where there is nothing to say.
std::string conclusions_text(const Evaluation& evaluation, size_t width = 100);

}  // namespace palimpsest::eval
