// Runs what a composed configuration asks for: `palimpsest eval` behind its command line.
#pragma once

#include <vector>

#include "palimpsest/config/value.h"
#include "palimpsest/eval/evaluate.h"

namespace palimpsest::cli {

// `config` has no interpolations left; a value that could not be resolved throws when it is read.
// Leaves report.html beside the logs of every evaluator.
std::vector<eval::Evaluation> run_evaluation(const config::Value& config);

// For people, on standard output.
void print_evaluation(const eval::Evaluation& evaluation);

}  // namespace palimpsest::cli
