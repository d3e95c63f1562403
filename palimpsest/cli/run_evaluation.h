// Runs an evaluation on this machine. This is the work of `palimpsest eval` after its command line
// has been parsed.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "palimpsest/base/progress.h"
#include "palimpsest/cli/program.h"
#include "palimpsest/config/value.h"
#include "palimpsest/eval/evaluate.h"
#include "palimpsest/evidence/provenance.h"
#include "palimpsest/evidence/settings.h"
#include "palimpsest/run/internal/batch_run.h"

namespace palimpsest::cli {

// Turns a configuration into the description of an evaluation. The interpolations of `config` must
// have been resolved; a value that could not be resolved throws Error when it is read. Only
// threads, memory_limit and residence are taken from `resources`. The configuration gives
// everything else.
eval::EvaluationSpec read_spec(const config::Value& config, const model::ModelOptions& resources,
                               const ProgramContext& context);

// How run_evaluation() runs an evaluation. The output folders are locked while it runs.
struct EvaluationCall {
  std::string command;  // named by the error message of another run that wants the same folders
  ProgressDisplay* display = nullptr;
  std::stop_token stop = {};
  run::WorkOptions work = {};
  evidence::Settings settings = {};  // for provenance.json
  // If set, called before the model runs, with all that provenance.json will say besides the
  // results. A program that embeds the library can name its own inputs there.
  std::function<void(evidence::Provenance&)> complete_provenance = {};
};

// Runs the evaluation and writes report.html and provenance.json beside the logs of every
// evaluator. If this process gets no results, for example because `call.work` is one shard of the
// evaluation, only its part of the output folders is written, and nothing is returned. Throws
// Stopped if `call.stop` requests it.
std::vector<eval::Evaluation> run_evaluation(const eval::EvaluationSpec& spec,
                                             const ProgramContext& context,
                                             const EvaluationCall& call);

// Prints a table and the answer for people, or one line of JSON, on standard output.
void print_evaluation(const eval::Evaluation& evaluation, bool as_json);

}  // namespace palimpsest::cli
