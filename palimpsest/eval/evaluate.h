// Evaluates a model. It does everything that `palimpsest eval` does after reading its
// configuration. Mistakes in the description (evaluation_spec.h) or in the data are reported before
// the model is loaded.
//
//   const std::vector<Evaluation> done = evaluate(spec, {.loader = loader, …});
//   results_table(done.front());
//
// These files are written into the output folder of each evaluator (NAME is TOFU, MUSE …):
//   NAME_EVAL.json      the results of all metrics, including those that others need
//   NAME_SUMMARY.json   agg_value of the requested metrics
//   NAME_RUN.json       how the results were computed (run_record.h)
//   NAME_TRACES/        the traces, one file per data set
// The files are replaced atomically after each pass of a model over the data. A second run computes
// only the metrics that are unfinished or were computed with another model, other data or another
// configuration. A run that is killed loses at most the current batch. While a run is in progress,
// its output folders are locked; Error is thrown if another run is already writing to one of them.
//
// Everything that the caller supplies (loader, handlers, data sets, display, callbacks) is called
// only from the calling thread, except attacks whose `any_thread` is set. Two evaluations may run
// at once if they write into different folders and share no loader or display. (An EngineLoader may
// be shared.)
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "palimpsest/base/progress.h"
#include "palimpsest/eval/dataset.h"
#include "palimpsest/eval/evaluation_spec.h"
#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/run_record.h"
#include "palimpsest/model/hub.h"
#include "palimpsest/model/model_loader.h"
#include "palimpsest/python_text/time.h"
#include "palimpsest/run/work.h"
#include "palimpsest/trace/trace_source.h"

namespace palimpsest::eval {

struct Evaluation;

// The objects and values that the calling program supplies. The loader and the display must outlive
// the call.
struct EvaluationContext {
  model::ModelLoader& loader;
  model::HubEnvironment hub = {};  // where to look for models and data sets given by hub id
  ProgressDisplay* display = nullptr;
  std::stop_token stop = {};   // checked before every batch; throws Stopped
  run::WorkOptions work = {};  // with a shard, call evaluate_shard() instead of evaluate()
  std::optional<python_text::CivilTime> now = {};  // for chat templates that ask for the time
  // For the record of the run: {"palimpsest": "0.1.0"}.
  std::map<std::string, std::string> versions = {};
  // To add your own attacks, pass make_handler_table(attacks).
  HandlerTable handlers = default_handler_table();
  DatasetTable datasets = default_dataset_table();
  // How this run is described in the error message of another run that wants to write to the same
  // folder.
  std::string command = "evaluate()";
  // Called once, after everything has been checked and the output folders are locked, before a
  // model runs.
  std::function<void()> before_models = {};
  // Called at the end with the results, while the output folders are still locked. It may write
  // further files that belong to the results.
  std::function<void(const std::vector<Evaluation>&)> on_finished = {};
};

// The row of a metric in the table of results.
struct MetricRow {
  std::string name;
  bool requested = false;
  Number value;
  std::optional<stat::Interval> interval;     // 95%, over clusters of examples
  int64_t examples = 0;                       // 0 if computed from other metrics
  bool reused = false;                        // taken from an earlier run
  AttackParameters parameters = {};           // only for an attack
  std::optional<ForgetQuality> quality = {};  // only for forget quality
  std::string note = {};                      // a remark: "published definition …"
};

// The results of one evaluator. It holds everything that a report shows, so no file has to be read
// again.
struct Evaluation {
  std::string name;
  std::filesystem::path log;
  std::filesystem::path summary;
  std::filesystem::path record;
  std::vector<MetricRow> rows;  // the requested metrics in the requested order, then the others
  // The contents of the files: the results by metric, and the record of how they were computed,
  // with the answer, red flags and notes.
  EvalLog results = {};
  RunRecord run = {};
  // The traces that this run computed, keyed by the file names in `run`. Traces of metrics that an
  // earlier run finished are only in their files.
  std::map<std::string, trace::TraceInput> traces = {};
  // Warnings about the EvaluationSpec of this call, and about the files of earlier runs. They were
  // also logged. `run` does not hold them, because a second call need not have the same ones.
  std::vector<std::string> notes = {};
};

// Runs all evaluators and returns one result per evaluator, in the same order. Throws Error for a
// wrong description or wrong data, and Stopped if a stop was requested.
std::vector<Evaluation> evaluate(const EvaluationSpec& spec, const EvaluationContext& context);

// Runs one shard (context.work.shard) of every pass of every evaluator, and computes no metric. The
// results are stored as parts (run/work.h). When all shards are done, evaluate() without the shard
// finds the parts and runs no model. before_models is called as usual, on_finished is not.
void evaluate_shard(const EvaluationSpec& spec, const EvaluationContext& context);

// A text table for people, with metric, value, interval and number of examples.
std::string results_table(const Evaluation& evaluation);

// The text below that table: the distance of the model from several retrained models, the answer,
// red flags and notes. Empty if there is none of them.
std::string conclusions_text(const Evaluation& evaluation, size_t width = 100);

}  // namespace palimpsest::eval
