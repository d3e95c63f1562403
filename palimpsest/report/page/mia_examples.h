// The examples of an audit for its page: their scores from the report, their texts and tokens from
// the trace files, which are read once more, one trace at a time. A page must stay small enough to
// open and to send, so that of large audits the middle is left out and long texts are cut.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "palimpsest/attack/mia.h"
#include "palimpsest/report/page/page_data.h"

namespace palimpsest {

struct ExampleLimits {
  int64_t rows = 40'000;            // the most remembered half and the least remembered half
  int64_t detailed = 500;           // at either end: examples that keep their tokens
  int64_t text_bytes = 20'000'000;  // of all rows together; a text is cut to its part of them,
  int64_t least_text = 200;         // but not below this many bytes
  int64_t most_text = 4'000;        // nor kept beyond
  int64_t tokens = 1'000'000;       // likewise of all tokens
  int64_t least_tokens = 100;
  int64_t most_tokens = 2'000;
};

struct MiaExampleOptions {
  std::filesystem::path forget_traces;  // empty: no texts and no tokens
  std::filesystem::path holdout_traces;
  double lowest_share = 0.2;  // marked among the tokens, Min-K's k, in (0, 1]
  ExampleLimits limits = {};
};

// Rows in the order of remembering under the attack `ranking`, examples without a score last. Throws
// Error where a trace file is not valid; examples that it does not hold stay without texts.
PageExamples mia_examples(const MiaReport& report, size_t ranking,
                          const MiaExampleOptions& options);

// At most `bytes` bytes of a UTF-8 text, cut between two characters and marked with "…" if cut.
std::string shortened(const std::string& text, int64_t bytes);

}  // namespace palimpsest
