// Training files as token sequences: question and answer through the tokenizer's chat template (or
// plain lines, for a model without one), answers labelled; or plain text, all of it labelled. As
// evaluations of the model prepare them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "palimpsest/data/example.h"
#include "palimpsest/model/internal/architecture.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::lab {

// The records of all files, one after the other: those with a question and an answer, or those with
// a text. `folder` holds the tokenizer and its template. Throws Error for a file that cannot be
// used, a sequence of more tokens than the model has positions, or a token that it does not know.
// Logs a warning about a file that the tokenizer cannot write (data/internal/unknown_tokens.h).
std::vector<data::Example> read_examples(std::span<const std::filesystem::path> files,
                                         const std::filesystem::path& folder,
                                         const tokenizer::Tokenizer& tokenizer,
                                         const model::Architecture& architecture);

// The most tokens in one of them.
int64_t longest_length(const std::vector<data::Example>& examples);

}  // namespace palimpsest::lab
