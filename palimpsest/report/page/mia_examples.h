// The examples of an audit or of a run, as its page shows them: with their scores, and with their
// texts and tokens from the traces. Trace files are read again, one trace at a time. If the
// examples are in the order of the file (in_file_order), traces that are not shown are skipped. A
// page must stay small enough to open and to send. So for large audits the middle of the ranking is
// left out, and long texts are cut.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/report/figures/score_figures.h"
#include "palimpsest/report/page/page_data.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

struct ExampleLimits {
  int64_t rows = 40'000;   // largest number of rows; half are the most, half the least remembered
  int64_t detailed = 500;  // number of examples at each end that keep their tokens
  // The number of bytes of text in all rows together. Each text gets an equal part of it, but at
  // least least_text and at most most_text bytes.
  int64_t text_bytes = 20'000'000;
  int64_t least_text = 200;
  int64_t most_text = kMaxLoggedText;
  int64_t tokens = 1'000'000;  // the same limits for the number of tokens
  int64_t least_tokens = 100;
  int64_t most_tokens = 2'000;
};

struct MiaExampleOptions {
  SetTraceFiles traces;  // if empty, there are no texts and no tokens
  // Whether the examples of each set are all the traces of its file, in the same order.
  bool in_file_order = false;
  double lowest_share = 0.2;  // share of the tokens that is marked: Min-K's k, in (0, 1]
  ExampleLimits limits = {};
};

// Two sets of examples with their scores under some attacks.
struct ScoredExamples {
  std::vector<NamedScores> attacks = {};  // of the same examples in the same order
  size_t ranking = 0;                     // position of the attack by which the examples are ranked
  // Tests of the forget examples under that attack. Empty: none were made.
  std::vector<std::optional<double>> q_values = {};
  std::vector<size_t> recognised = {};  // positions in the forget set
  bool reversed = false;                // conspicuously unfamiliar records were looked for
  double rate = 0.1;                    // false discovery rate
};

// Returns rows from the most to the least remembered example; examples without a score come last.
// Throws Error if a trace file is not valid. Examples that are not in the trace files have no
// texts.
PageExamples page_examples(const ScoredExamples& scored, const MiaExampleOptions& options);

// Returns the examples of an audit. `ranking` is the position of an attack in report.outcomes.
PageExamples mia_examples(const attack::MiaReport& report, size_t ranking,
                          const MiaExampleOptions& options);

// Returns at most `bytes` bytes of a UTF-8 text. A longer text is cut between two characters and
// marked with "…".
std::string shortened(const std::string& text, int64_t bytes);

}  // namespace palimpsest::report
