// Lets a model continue prompts as a BatchRun; each distinct prompt runs once. After a crash the
// same call resumes where it stopped and gives the same texts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "palimpsest/model/language_model.h"
#include "palimpsest/run/batch_run.h"
#include "palimpsest/run/lazy_model.h"

namespace palimpsest::run {

// A text to be continued, and where it comes from.
struct GenerationRequest {
  model::Prompt prompt;
  std::string where;  // for messages: "forget10, example 17"
};

// How to continue all of them.
struct GenerationSettings {
  // A text with every setting that influences the generated texts, apart from the model and the
  // prompts.
  std::string description;
  // Called once the model is loaded, because the options may depend on the model's own settings.
  // The seed is replaced by one per batch.
  std::function<model::GenerateOptions(const model::ModelInfo&)> options;
  int64_t batch_prompts = 256;  // prompts per batch: the most work that a crash can lose
};

struct GenerationCounts {
  int64_t prompts = 0;  // different ones
  int64_t resumed = 0;  // prompts that were already in the journal
  int64_t new_tokens = 0;
  int64_t forward_tokens = 0;  // run through the model
};

struct GenerationOutcome {
  std::vector<model::Generation> generations;  // one per request, in their order
  GenerationCounts counts;
};

// The model is loaded if something is left to compute, and stays loaded. Requests with the same
// prompt share one generation (whatever their drafts). If the settings sample or penalise
// repetition, the `known` tokens of a prompt are used only as a draft, because the trace that they
// come from did neither. Throws Error for a request that cannot be run; the message names it.
GenerationOutcome generate_all(LazyModel& model, const std::vector<GenerationRequest>& requests,
                               const GenerationSettings& settings, const RunOptions& run_options);

}  // namespace palimpsest::run
