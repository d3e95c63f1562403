// Letting a model continue prompts, each different one once, as a BatchRun: the same call after a
// crash goes on where it stopped and gives the same texts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "palimpsest/model/language_model.h"
#include "palimpsest/run/batch_run.h"
#include "palimpsest/run/lazy_model.h"

namespace palimpsest {

// A text to be continued, and where it comes from.
struct GenerationRequest {
  Prompt prompt;
  std::string where;  // for messages: "forget10, example 17"
};

// How to continue all of them.
struct GenerationSettings {
  // Everything that decides the texts and is not the model's or the prompt's, written out.
  std::string description;
  // Asked once the model is there, whose own settings may count. The seed is replaced by one per batch.
  std::function<GenerateOptions(const ModelInfo&)> options;
  int64_t batch_prompts = 256;  // of a planned batch: what a crash may cost
};

struct GenerationCounts {
  int64_t prompts = 0;  // different ones
  int64_t resumed = 0;  // that the journal had
  int64_t new_tokens = 0;
  int64_t forward_tokens = 0;  // run through the model
};

struct GenerationOutcome {
  std::vector<Generation> generations;  // one per request, in their order
  GenerationCounts counts;
};

// The model is loaded if something is left to compute, and stays loaded. Requests with the same
// prompt share one generation (whatever their drafts). Tokens that a request calls known are taken
// for a mere draft where the settings sample or penalise repetition, since the trace that they come
// from did neither. Throws Error (naming the request) for what cannot be run.
GenerationOutcome generate_all(LazyModel& model, const std::vector<GenerationRequest>& requests,
                               const GenerationSettings& settings, const RunOptions& how);

}  // namespace palimpsest
