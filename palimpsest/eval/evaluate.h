// Evaluates a model. This is everything that `palimpsest eval` does after it has read its
// configuration. Mistakes in the description (evaluation_spec.h) or in the data are reported before
// the model is loaded.
//
//   const std::vector<Evaluation> done = evaluate(spec, {.loader = loader, …});
//   results_table(done.front());
//
// For every evaluator, in its output folder (NAME is TOFU, MUSE …):
//   NAME_EVAL.json      every metric's result, pre_computed ones too (see eval_log.h)
//   NAME_SUMMARY.json   agg_value of the metrics that were asked for
//   NAME_RUN.json       how they came about (see run_record.h)
//   NAME_TRACES/        the traces, one file per data set
// Each file is replaced atomically, after each pass of a model. A rerun computes only the metrics
// that are not finished or were computed with another model, other data or another configuration. A
// run that is killed loses at most the batch that was being computed. While it runs, the output
// folders are locked (base/output_lock.h); Error is thrown if another run writes to one of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/eval/dataset.h"
#include "palimpsest/eval/evaluation_spec.h"
#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/run_record.h"
#include "palimpsest/model/hub.h"
#include "palimpsest/model/model_loader.h"
#include "palimpsest/python_text/time.h"

namespace palimpsest::eval {

struct Evaluation;

// What the calling program supplies.
struct EvaluationContext {
  model::ModelLoader& loader;
  model::HubEnvironment hub = {};  // where to look for models and data sets that are not folders
  ProgressDisplay* display = nullptr;
  std::stop_token stop = {};                         // checked before every batch; throws Stopped
  std::optional<python_text::CivilTime> now = {};    // for chat templates that ask for the time
  std::map<std::string, std::string> versions = {};  // for the record: {"palimpsest": "0.1.0"}
  // To add attacks of your own, pass make_handler_table(attacks).
  HandlerTable handlers = default_handler_table();
  DatasetTable datasets = default_dataset_table();
  // What another run that wants to write to the same folder is told about this one.
  std::string command = "evaluate()";
  // Called at the end with the results, while the output folders are still locked: for further
  // files that belong to them.
  std::function<void(const std::vector<Evaluation>&)> on_finished = {};
};

// One metric's row in the table of results.
struct MetricRow {
  std::string name;
  bool requested = false;
  Number value;
  std::optional<stat::Interval> interval;  // 95%, over clusters of examples
  int64_t examples = 0;                    // 0: computed from other metrics
  bool reused = false;                     // taken from an earlier run
  AttackParameters parameters = {};        // of an attack
  std::optional<ForgetQuality> quality = {};
  std::string note = {};  // "published definition …"
};

// The results of one evaluator. It holds everything that a report shows, so that no file has to be
// read again.
struct Evaluation {
  std::string name;
  std::filesystem::path log;
  std::filesystem::path summary;
  std::filesystem::path record;
  std::vector<MetricRow> rows;  // the requested metrics in their order, then the others
  std::optional<attack::Answer> answer = {};  // where there are attacks
  std::optional<RetrainedModels> retrained = {};
  std::vector<std::string> notes = {};

  // The contents of the files: the results by metric, and the record of how they were computed.
  EvalLog results = {};
  RunRecord run = {};
  // The traces that this run computed, by the file names that `run` records. The traces of metrics
  // that an earlier run finished are only in their files.
  std::map<std::string, SharedTraces> traces = {};
};

// One result per evaluator, in their order.
std::vector<Evaluation> evaluate(const EvaluationSpec& spec, const EvaluationContext& context);

// For people: metric, value, interval, examples.
std::string results_table(const Evaluation& evaluation);

// For people, below the table: how far the model is from several retrained ones, the answer, notes.
// Empty where there is nothing to say.
std::string conclusions_text(const Evaluation& evaluation, size_t width = 100);

}  // namespace palimpsest::eval
