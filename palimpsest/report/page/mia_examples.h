// The examples of an audit or of a run, as its page shows them: their scores, and their texts and
// tokens from the traces. Trace files are read once more, one trace at a time. A page must stay
// small enough to open and to send. So the middle of the ranking is left out for large audits, and
// long texts are cut.
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

namespace palimpsest::report {

struct ExampleLimits {
  int64_t rows = 40'000;            // half of them the most remembered, half the least remembered
  int64_t detailed = 500;           // examples at each end that keep their tokens
  int64_t text_bytes = 20'000'000;  // for all rows together; each text gets an equal part,
  int64_t least_text = 200;         // but at least this many bytes
  int64_t most_text = kMostLoggedText;  // and at most this many
  int64_t tokens = 1'000'000;           // the same limits for tokens
  int64_t least_tokens = 100;
  int64_t most_tokens = 2'000;
};

struct MiaExampleOptions {
  SetTraceFiles traces;       // without them there are no texts and no tokens
  double lowest_share = 0.2;  // share of the tokens that is marked: Min-K's k, in (0, 1]
  ExampleLimits limits = {};
};

// Two sets of examples with their scores under some attacks. The scores are not owned.
struct ScoredExamples {
  struct Attack {
    std::string title;
    attack::ScoreColumns scores;
  };
  std::vector<attack::ExampleId> forget = {};
  std::vector<attack::ExampleId> holdout = {};
  std::vector<Attack> attacks = {};
  size_t ranking = 0;  // position of the attack by which the examples are ranked
  std::vector<std::optional<double>> q_values = {};  // of the forget examples, under that attack
};

// Rows from the most to the least remembered; examples without a score come last. Throws Error if a
// trace file is not valid. Examples that are not in the trace files have no texts.
PageExamples page_examples(const ScoredExamples& scored, const MiaExampleOptions& options);

// The same for an audit. `ranking` is the position of an attack in report.outcomes.
PageExamples mia_examples(const attack::MiaReport& report, size_t ranking,
                          const MiaExampleOptions& options);

// At most `bytes` bytes of a UTF-8 text, cut between two characters and marked with "…" if cut.
std::string shortened(const std::string& text, int64_t bytes);

}  // namespace palimpsest::report
