// Implements generate() for many prompts at once. There is one key/value cache for the common
// beginning of all prompts, and one for the rest of each prompt. Finished prompts leave the batch,
// and others take their place. Guesses of the next tokens (drafts, repetitions) are verified in the
// same pass that decodes, so the output is that of plain decoding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "palimpsest/engine/internal/decoder.h"
#include "palimpsest/model/language_model.h"

namespace palimpsest::engine {

struct GeneratorLimits {
  int64_t max_rows = 4096;  // packed tokens in one pass
  // For all caches together, unless one alone needs more.
  int64_t max_cache_bytes = int64_t{4} << 30U;
};

// The prompts and options must already have been checked.
std::vector<model::Generation> generate_texts(Decoder& decoder,
                                              std::span<const model::Prompt> prompts,
                                              const model::GenerateOptions& options,
                                              const GeneratorLimits& limits);

}  // namespace palimpsest::engine
