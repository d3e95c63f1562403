// Runs what a composed configuration asks for: `palimpsest eval` behind its command line.
#pragma once

#include "palimpsest/config/value.h"

namespace palimpsest::cli {

// `config` has no interpolations left; a value that could not be resolved throws when it is read.
void run_evaluation(const config::Value& config);

}  // namespace palimpsest::cli
