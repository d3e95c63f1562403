// The checks that every LanguageModel makes of a request, so that all models give the same
// messages. They find ids beyond the vocabulary, sequences that are too long for the model, and
// options out of range.
#pragma once

#include <span>

#include "palimpsest/model/language_model.h"

namespace palimpsest::model {

// Throws Error for the first sequence that cannot be scored.
void check_sequences(std::span<const Sequence> sequences, const ModelInfo& info);

// Throws Error for the first prompt that cannot be continued, for options out of range, and for
// unsupported settings in the checkpoint's generation_config.json. A prompt with its known tokens
// must not be longer than the model supports. A generation that reaches that length is not an
// error; the model decides how it ends.
void check_prompts(std::span<const Prompt> prompts, const GenerateOptions& options,
                   const ModelInfo& info);

}  // namespace palimpsest::model
