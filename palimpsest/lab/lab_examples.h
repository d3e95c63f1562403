// Training files as token sequences: question and answer through the tokenizer's chat template (or
// plain lines, for a model without one), answers labelled; or plain text, all of it labelled. As
// evaluations of the model prepare them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "palimpsest/data/example.h"
#include "palimpsest/model/architecture.h"
#include "palimpsest/text/tokenizer.h"

namespace palimpsest::lab {

// The records of all files, one after the other: those with a question and an answer, or those with
// a text. `folder` holds the tokenizer and its template. Throws Error for a file that cannot be
// used, a sequence of more tokens than the model has positions, or a token that it does not know.
std::vector<Example> read_examples(std::span<const std::filesystem::path> files,
                                   const std::filesystem::path& folder, const Tokenizer& tokenizer,
                                   const Architecture& architecture);

// The most tokens in one of them.
int64_t longest_of(const std::vector<Example>& examples);

}  // namespace palimpsest::lab
