// Running a model over lists of examples, each different sequence once, as a BatchRun: the same call
// after a crash goes on where it stopped and gives the same numbers as if nothing had happened.
//
//   LazyModel model(loader, "tofu", folder, {});
//   const ScoredLists scored = score_lists(model, {list_of("forget", forget)}, {}, {.folder = "out.run"});
//   scored.of(0, 17).logprob;
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/data/example.h"
#include "palimpsest/model/language_model.h"
#include "palimpsest/run/batch_run.h"
#include "palimpsest/run/lazy_model.h"
#include "palimpsest/run/plan.h"
#include "palimpsest/text/tokenizer.h"
#include "palimpsest/trace/trace.h"

namespace palimpsest {

struct TraceOptions {
  std::optional<int64_t> masked_token = std::nullopt;  // hidden from attention wherever it stands
  std::vector<NormOrder> gradient_norms = {};
};

// How much a run would compute, and did.
struct TraceCounts {
  int64_t examples = 0;
  int64_t sequences = 0;  // different ones
  int64_t tokens = 0;
  int64_t resumed = 0;                 // sequences that the journal had
  std::string model_fingerprint = {};  // see LazyModel::fingerprint()
};

TraceCounts counts_of(const TracePlan& plan);

struct ScoredLists {
  std::vector<SequenceScores> sequences;    // different ones
  std::vector<std::vector<size_t>> places;  // for each list, each example's place among them
  TraceCounts counts;

  const SequenceScores& of(size_t list, size_t example) const {
    return sequences[places[list][example]];
  }
};

// The model is loaded if something is left to compute, and stays loaded. Throws Error
// (naming list and example) for what cannot be run.
ScoredLists score_lists(LazyModel& model, const std::vector<ExampleList>& lists,
                        const TraceOptions& options, const RunOptions& how);

// What a trace keeps of an example and its scores, as float32. `tokenizer` decodes the labelled text.
Trace to_trace(const Example& example, const SequenceScores& scores, const TraceOptions& options,
               const Tokenizer& tokenizer);

// "1", "2" or "inf", as traces name a norm's order.
std::string order_name(NormOrder order);
std::optional<NormOrder> find_order(std::string_view name);

}  // namespace palimpsest
