// generate(): many prompts at once, each with its own key/value cache behind one of what all begin
// with; finished ones leave the batch and others take their place. Guesses at what follows (drafts,
// repetitions) are verified in the same pass that decodes: the output is what plain decoding gives.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "palimpsest/engine/internal/decoder.h"
#include "palimpsest/model/language_model.h"

namespace palimpsest::engine {

struct GeneratorLimits {
  int64_t max_rows = 4096;                      // packed tokens of a pass
  int64_t max_cache_bytes = int64_t{4} << 30U;  // of all caches together, unless one needs more
};

// The prompts and options are valid already.
std::vector<model::Generation> generate_texts(Decoder& decoder,
                                              std::span<const model::Prompt> prompts,
                                              const model::GenerateOptions& options,
                                              const GeneratorLimits& limits);

}  // namespace palimpsest::engine
