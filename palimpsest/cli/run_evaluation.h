// Runs what a composed configuration asks for: `palimpsest eval` behind its command line.
#pragma once

#include <vector>

#include "palimpsest/cli/tables.h"
#include "palimpsest/config/value.h"
#include "palimpsest/eval/evaluate.h"

namespace palimpsest::cli {

// `config` has no interpolations left; a value that could not be resolved throws when it is read.
// `resources` are threads, memory_limit and stream_layers; the rest is the configuration's. Leaves
// report.html beside the logs of every evaluator.
std::vector<eval::Evaluation> run_evaluation(const config::Value& config,
                                             const ModelOptions& resources, const Tables& tables);

// On standard output: a table and the answer for people, or a line of JSON.
void print_evaluation(const eval::Evaluation& evaluation, bool as_json);

}  // namespace palimpsest::cli
