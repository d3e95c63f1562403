// Derives the beginning of a generation from a trace. Under teacher forcing, the model's most
// likely tokens are its greedy output up to and including the first one that differs from the text.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "palimpsest/data/example.h"
#include "palimpsest/trace/trace.h"

namespace palimpsest::eval {

// The tokens with which greedy decoding of the example's prompt begins. Empty if the trace does not
// show them: the prompt's ids are not a prefix of the example's ids, some of the rest is not
// labelled, or a token that matters is masked (a masked token counts as a position in scoring but
// not in generation).
std::vector<int64_t> greedy_start(const data::Example& example, const trace::Trace& trace,
                                  std::optional<int64_t> masked);

// The labels of the example, without those that are ignored.
std::vector<int64_t> labelled_ids(const data::Example& example);

// The ids of the example that follow its prompt, as a guess of the generation.
std::vector<int64_t> ground_truth_draft(const data::Example& example);

}  // namespace palimpsest::eval
