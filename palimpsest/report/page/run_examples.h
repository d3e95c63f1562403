// The examples of a run for a page: scores of the membership attacks that its files hold, and from
// evaluation logs the question, the true answer and what the model generated.
#pragma once

#include "palimpsest/report/page/page_data.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest {

// Rows in the order of remembering under the strongest attack, the one whose AUC is farthest from ½;
// of very many the middle is left out. Empty where no attack left scores. Texts come from the
// entries of NAME_EVAL.json that have a 'generation' (forget_Q_A_ROUGE for the forget set); a file
// without them is none the worse. Throws Error where a log is not valid JSON.
PageExamples run_examples(const RunResults& run);

// The attack whose AUC is farthest from ½; null if the run has none.
const RunMetric* strongest_attack(const RunResults& run);

}  // namespace palimpsest
