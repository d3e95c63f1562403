// Runs an evaluation on this machine. This is the work of `palimpsest eval` after its command line
// has been parsed.
#pragma once

#include <stop_token>
#include <vector>

#include "palimpsest/cli/program.h"
#include "palimpsest/config/value.h"
#include "palimpsest/eval/evaluate.h"
#include "palimpsest/evidence/settings.h"
#include "palimpsest/run/batch_run.h"

namespace palimpsest::cli {

// Turns a configuration into the description of an evaluation. The interpolations of `config` must
// have been resolved; a value that could not be resolved throws Error when it is read. Only
// threads, memory_limit and residence are taken from `resources`. The configuration gives
// everything else.
eval::EvaluationSpec read_spec(const config::Value& config, const model::ModelOptions& resources,
                               const ProgramContext& context);

// Runs the evaluation and writes report.html and provenance.json beside the logs of every
// evaluator. The output folders are locked meanwhile. If another run wants to write to them, its
// error message names `command`. `settings` are for provenance.json. If `work` gives this process no
// results, as one shard of the evaluation, only its part of the output folders is written, and
// nothing is returned. Throws Stopped if `stop` requests it.
std::vector<eval::Evaluation> run_evaluation(const eval::EvaluationSpec& spec,
                                             const std::string& command,
                                             const ProgramContext& context,
                                             const std::stop_token& stop,
                                             const evidence::Settings& settings = {},
                                             const run::WorkOptions& work = {});

// Prints a table and the answer for people, or one line of JSON, on standard output.
void print_evaluation(const eval::Evaluation& evaluation, bool as_json);

}  // namespace palimpsest::cli
