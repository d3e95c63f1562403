// Generates continuations of prompts with a model, as a BatchRun (batch_run.h). Each distinct
// prompt runs once. After a crash, the same call resumes where it stopped and gives the same texts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "palimpsest/model/language_model.h"
#include "palimpsest/run/internal/batch_run.h"
#include "palimpsest/run/internal/lazy_model.h"

namespace palimpsest::run {

// A prompt with its origin.
struct GenerationRequest {
  model::Prompt prompt;
  std::string where;  // for messages: "forget10, example 17"
};

// How all prompts are continued.
struct GenerationSettings {
  // A text that names every setting that influences the results, except the model and the prompts.
  // It becomes part of the fingerprint.
  std::string description;
  // Returns the options. It is called once the model is loaded, because the options may depend on
  // the model's own settings. Each batch gets its own seed in place of the one in the options.
  std::function<model::GenerateOptions(const model::ModelInfo&)> options;
  int64_t batch_prompts = 256;  // prompts per batch; a crash loses at most one batch
};

struct GenerationCounts {
  int64_t prompts = 0;         // number of distinct prompts
  int64_t resumed = 0;         // prompts that were already in the journal
  int64_t forward_tokens = 0;  // number of tokens that ran through the model
  Properties model = {};       // what parts say about the model; see model_properties()
};

struct GenerationOutcome {
  // One per request, in the same order; empty if only a shard ran (WorkOptions::shard).
  std::vector<model::Generation> generations;
  GenerationCounts counts;
};

// Loads the model if something is left to compute, and leaves it loaded. Requests with the same
// prompt share one generation, even if their Prompt::draft differs. Prompt::known is the beginning
// of the plain greedy continuation; if the settings sample or penalise repetition, it is used only
// as a draft. Throws Error for a request that cannot be run; the message names the request.
GenerationOutcome generate_all(LazyModel& model, const std::vector<GenerationRequest>& requests,
                               const GenerationSettings& settings, const RunOptions& run_options);

}  // namespace palimpsest::run
