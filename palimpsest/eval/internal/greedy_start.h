// What a trace already shows of a generation: under teacher forcing the model's own choices are its
// greedy output up to and including the first one that differs from the text.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "palimpsest/data/example.h"
#include "palimpsest/model/language_model.h"
#include "palimpsest/trace/trace.h"

namespace palimpsest::eval {

// The tokens that greedy decoding of the example's prompt begins with; empty where the trace does not
// tell: the prompt's ids do not begin the example's, something of the rest is not labelled, or a
// token that matters is masked (scoring counts its position, generating does not).
std::vector<int64_t> greedy_start(const data::Example& example, const trace::Trace& trace,
                                  std::optional<int64_t> masked);

// The ids of the example that follow its prompt, as a guess at what will be generated.
std::vector<int64_t> ground_truth_draft(const data::Example& example);

}  // namespace palimpsest::eval
