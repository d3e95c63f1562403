// Runs an evaluation on this machine: `palimpsest eval` behind its command line.
#pragma once

#include <stop_token>
#include <vector>

#include "palimpsest/cli/program.h"
#include "palimpsest/config/value.h"
#include "palimpsest/eval/evaluate.h"
#include "palimpsest/evidence/settings.h"

namespace palimpsest::cli {

// What a configuration asks for. It has no interpolations left; a value that could not be resolved
// throws when it is read. `resources` are threads, memory_limit and stream_layers; the rest is the
// configuration's.
eval::EvaluationSpec read_spec(const config::Value& config, const model::ModelOptions& resources,
                               const ProgramContext& context);

// Leaves report.html and provenance.json beside the logs of every evaluator. `command` is what other
// runs that want to write to the same folders are told. `settings` are for provenance.json. Throws
// Stopped.
std::vector<eval::Evaluation> run_evaluation(const eval::EvaluationSpec& spec,
                                             const std::string& command,
                                             const ProgramContext& context, std::stop_token stop,
                                             const evidence::Settings& settings = {});

// On standard output: a table and the answer for people, or a line of JSON.
void print_evaluation(const eval::Evaluation& evaluation, bool as_json);

}  // namespace palimpsest::cli
