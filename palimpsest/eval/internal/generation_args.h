// generation_args of a metric: how the model continues prompts, and where the generated text ends.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/eval/handler.h"
#include "palimpsest/model/language_model.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::eval {

// Writes every setting that influences the generated text into one text, which becomes part of
// fingerprints.
std::string describe(const GenerationArgs& args);

// The options for a model, with its own end tokens. Tokens of the prompt with the id `masked` are
// hidden from attention. The tokenizer must outlive the result.
model::GenerateOptions generate_options(const GenerationArgs& args, const model::ModelInfo& model,
                                        const tokenizer::Tokenizer& tokenizer,
                                        std::optional<int64_t> masked, uint64_t seed);

// Decodes tokens for display and comparison: special tokens are removed and spaces are cleaned up.
std::string plain_text(std::span<const int64_t> ids, const tokenizer::Tokenizer& tokenizer);

// Decodes generated tokens for comparison: the text is cut before the first stop word, and white
// space is removed at its ends.
std::string generated_text(const std::vector<int64_t>& ids, const GenerationArgs& args,
                           const tokenizer::Tokenizer& tokenizer);

}  // namespace palimpsest::eval
