// Scores examples whose traces are in memory with one attack. Audits (trace_scores.h) do this block
// by block and evaluations with a whole set at once, so both give an example the same score and
// refuse the same ones.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/base/internal/worker_pool.h"

namespace palimpsest::attack {

struct ExampleTraces {
  std::vector<const trace::Trace*> own;
  std::vector<const trace::Trace*> reference = {};  // one per example if the attack needs them
  std::function<std::string(size_t example)> where = {};  // for messages
};

// What a trace lacks that an attack needs.
struct UnmetNeed {
  const TraceNeed* need = nullptr;  // of the attack
  size_t example = 0;
  bool is_in_reference = false;  // whether it is the reference model's trace that lacks it
};

struct ExampleScores {
  ScoreColumn scores;  // of all examples, or of those before the first that lacks something
  std::optional<UnmetNeed> unmet;
};

// Several threads of the pool score the examples if the attack allows it (Attack::any_thread).
// Throws Error if a score is not finite.
ExampleScores score_examples(const Attack& attack, const ExampleTraces& examples, WorkerPool& pool);

// The first of the needs that the trace does not meet; nullptr if it meets all.
const TraceNeed* unmet_need(const std::vector<TraceNeed>& needs, const trace::Trace& trace,
                            const ParameterValues& values);

}  // namespace palimpsest::attack
