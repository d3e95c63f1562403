// The examples of a run for a page: scores of the membership attacks that its files hold, texts and
// tokens from its traces, and from evaluation logs what the model generated.
#pragma once

#include "palimpsest/report/page/page_data.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

// Rows in the order of remembering under leading_attack(); of very many the middle is left out. Empty
// where no attack left scores. Traces and generations are those that the run's record names; for logs
// without one they are guessed (internal/guesses.h). Throws Error where a trace file is not valid.
PageExamples run_examples(const RunResults& run);

}  // namespace palimpsest::report
