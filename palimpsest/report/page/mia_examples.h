// The examples of an audit or of a run for its page: their scores, and their texts and tokens from the
// trace files, which are read once more, one trace at a time. A page must stay small enough to open and
// to send, so that of large audits the middle is left out and long texts are cut.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/report/page/page_data.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest {

struct ExampleLimits {
  int64_t rows = 40'000;                // the most remembered half and the least remembered half
  int64_t detailed = 500;               // at either end: examples that keep their tokens
  int64_t text_bytes = 20'000'000;      // of all rows together; a text is cut to its part of them,
  int64_t least_text = 200;             // but not below this many bytes
  int64_t most_text = kMostLoggedText;  // nor kept beyond
  int64_t tokens = 1'000'000;           // likewise of all tokens
  int64_t least_tokens = 100;
  int64_t most_tokens = 2'000;
};

struct MiaExampleOptions {
  SetTraceFiles traces;       // without them there are no texts and no tokens
  double lowest_share = 0.2;  // marked among the tokens, Min-K's k, in (0, 1]
  ExampleLimits limits = {};
};

// Two sets of examples with their scores under some attacks, none of which it owns.
struct ScoredExamples {
  struct Attack {
    std::string title;
    ScoreColumns scores;
  };
  std::vector<ExampleId> forget = {};
  std::vector<ExampleId> holdout = {};
  std::vector<Attack> attacks = {};
  size_t ranking = 0;                                // the attack that says what is remembered
  std::vector<std::optional<double>> q_values = {};  // of the forget examples, under that attack
};

// Rows in the order of remembering, examples without a score last. Throws Error where a trace file is
// not valid; examples that it does not hold stay without texts.
PageExamples page_examples(const ScoredExamples& scored, const MiaExampleOptions& options);

// Those of an audit; `ranking` is the number of an attack.
PageExamples mia_examples(const MiaReport& report, size_t ranking,
                          const MiaExampleOptions& options);

// At most `bytes` bytes of a UTF-8 text, cut between two characters and marked with "…" if cut.
std::string shortened(const std::string& text, int64_t bytes);

}  // namespace palimpsest
