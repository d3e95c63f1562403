// Checks that every LanguageModel makes, with the same messages: ids beyond the vocabulary,
// sequences longer than the model supports, options out of range.
#pragma once

#include <span>

#include "palimpsest/model/language_model.h"

namespace palimpsest::model {

// Throws Error for the first sequence that cannot be scored.
void check_sequences(std::span<const Sequence> sequences, const ModelInfo& info);

// Throws Error for the first prompt that cannot be continued, for options out of range, and for
// settings of the checkpoint's generation_config.json that are not supported. A prompt with its
// known tokens must not be longer than the model supports. How far generation gets is left to the
// model.
void check_prompts(std::span<const Prompt> prompts, const GenerateOptions& options,
                   const ModelInfo& info);

}  // namespace palimpsest::model
