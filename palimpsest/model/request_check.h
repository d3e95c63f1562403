// What every LanguageModel refuses in the same words: ids beyond the vocabulary, sequences longer
// than the model's positions, options out of range.
#pragma once

#include <span>

#include "palimpsest/model/language_model.h"

namespace palimpsest {

// Throws Error for the first sequence that cannot be scored.
void check_sequences(std::span<const Sequence> sequences, const ModelInfo& info);

// Throws Error for the first prompt that cannot be continued, for options out of range, and for
// settings of the checkpoint's generation_config.json that are not supported. A prompt with its
// known tokens must fit the positions; how far generation gets is the model's business.
void check_prompts(std::span<const Prompt> prompts, const GenerateOptions& options,
                   const ModelInfo& info);

}  // namespace palimpsest
