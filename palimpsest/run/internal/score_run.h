// Scores lists of examples with a model, as a BatchRun (batch_run.h). Each distinct sequence runs
// once. After a crash, the same call resumes where it stopped and returns the same numbers as an
// uninterrupted run.
//
//   LazyModel model(loader, "tofu", folder, {});
//   const ScoredLists scored = score_lists(model, {make_example_list("forget", forget)}, {},
//                                          {.folder = "out.run"});
//   scored.of(0, 17).logprob;
#pragma once

#include <vector>

#include "palimpsest/data/example.h"
#include "palimpsest/model/language_model.h"
#include "palimpsest/run/internal/batch_run.h"
#include "palimpsest/run/internal/lazy_model.h"
#include "palimpsest/run/internal/plan.h"
#include "palimpsest/run/trace_run.h"
#include "palimpsest/tokenizer/tokenizer.h"
#include "palimpsest/trace/trace.h"

namespace palimpsest::run {

TraceCounts counts_of(const TracePlan& plan);

struct ScoredLists {
  // The scores of the distinct sequences; empty if only a shard ran (WorkOptions::shard).
  std::vector<model::SequenceScores> sequences;
  // For each list, the index in `sequences` of each example.
  std::vector<std::vector<size_t>> sequence_indices;
  TraceCounts counts;

  const model::SequenceScores& of(size_t list, size_t example) const {
    return sequences[sequence_indices[list][example]];
  }
};

// Loads the model only if something is left to compute, and leaves it loaded. Throws Error for an
// example that cannot be run; the message names the list and the example.
ScoredLists score_lists(LazyModel& model, const std::vector<ExampleList>& lists,
                        const TraceOptions& options, const RunOptions& run_options);

// Makes a trace from an example and its scores. The numbers are rounded to float32. `tokenizer`
// decodes the labelled text.
trace::Trace to_trace(const data::Example& example, const model::SequenceScores& scores,
                      const TraceOptions& options, const tokenizer::Tokenizer& tokenizer);

}  // namespace palimpsest::run
