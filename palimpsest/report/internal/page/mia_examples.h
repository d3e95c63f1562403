// The examples of an audit or of a run, as its page shows them: with their scores, and with their
// texts and tokens from the traces. Trace files are read again, one trace at a time. If the
// examples are in the order of the file (in_file_order), traces that are not shown are skipped. A
// page must stay small enough to open and to send. So for large audits the middle of the ranking is
// left out, and long texts are cut.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/report/internal/figures/score_figures.h"
#include "palimpsest/report/page/mia_page.h"
#include "palimpsest/report/page/page_data.h"

namespace palimpsest::report {

// Two sets of examples with their scores under some attacks.
struct ScoredExamples {
  std::vector<NamedScores> attacks = {};  // of the same examples in the same order
  size_t ranking = 0;                     // position of the attack by which the examples are ranked
  // Tests of the forget examples under that attack. Empty: none were made.
  std::vector<std::optional<double>> q_values = {};
  std::vector<size_t> recognised = {};  // positions in the forget set
  bool reversed = false;                // conspicuously unfamiliar records were looked for
  double rate = 0.1;                    // false discovery rate
  double lowest_share = PageExamples().lowest_share;
};

// Returns rows from the most to the least remembered example; examples without a score come last.
// Throws Error if a trace file is not valid. Examples that are not in the trace files have no
// texts.
PageExamples page_examples(const ScoredExamples& scored, const MiaExampleOptions& options);

// Returns the examples of an audit. `ranking` is the position of an attack in report.outcomes. The
// share of tokens that is marked is the k of the first Min-K or Min-K++. If neither was run, it is
// the k that the audit's record, `run`, states.
PageExamples mia_examples(const attack::MiaReport& report, size_t ranking,
                          const MiaExampleOptions& options, const std::vector<PageEntry>& run = {});

// Whether this row of the attack table is Min-K or Min-K++, whose k is the share that is marked.
bool is_min_k(std::string_view attack);

// Returns nullopt unless the text is a number in (0, 1].
std::optional<double> share_from_text(std::string_view text);

// Returns at most `bytes` bytes of a UTF-8 text. A longer text is cut between two characters and
// marked with "…".
std::string shortened(const std::string& text, int64_t bytes);

}  // namespace palimpsest::report
