// Implements generate() for many prompts at once. There is one key/value cache for the common
// beginning of all prompts, and one for the rest of each prompt. Finished prompts leave the batch,
// and others take their place. Guesses of the next tokens (drafts, repetitions) are verified in the
// same pass that decodes, so the output is that of plain decoding.
#pragma once

#include <span>
#include <vector>

#include "palimpsest/engine/internal/decoder.h"
#include "palimpsest/engine/internal/scorer.h"
#include "palimpsest/model/language_model.h"

namespace palimpsest::engine {

// The prompts and options must already have been checked. Of `limits`, max_rows and max_cache_bytes
// are used; one cache alone may need more.
std::vector<model::Generation> generate_texts(Decoder& decoder,
                                              std::span<const model::Prompt> prompts,
                                              const model::GenerateOptions& options,
                                              const ScorerOptions& limits);

}  // namespace palimpsest::engine
