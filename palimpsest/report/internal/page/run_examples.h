// The examples of a run for a page: scores of the membership attacks in its files, texts and tokens
// from its traces, and generated texts from evaluation logs.
#pragma once

#include "palimpsest/report/page/page_data.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

// Returns rows from the most to the least remembered example under leading_attack(). If there are
// very many, the middle is left out. Empty if no attack has scores. Traces and generations are
// those that the run's record names; for logs without a record they are guessed
// (internal/guesses.h). Throws Error if a trace file is not valid.
PageExamples run_examples(const RunResults& run);

}  // namespace palimpsest::report
