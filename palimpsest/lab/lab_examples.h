// Question and answer files as token sequences for the lab: through the tokenizer's chat template,
// answers labelled, as every evaluation of the model prepares them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "palimpsest/data/example.h"
#include "palimpsest/text/tokenizer.h"

namespace palimpsest::lab {

// The records of all files, one after the other. `folder` holds the tokenizer and its template.
// Throws Error for a file that cannot be used, or a sequence of more than `longest` tokens.
std::vector<Example> read_examples(std::span<const std::filesystem::path> files,
                                   const std::filesystem::path& folder, const Tokenizer& tokenizer,
                                   int64_t longest);

// The most tokens in one of them.
int64_t longest_of(const std::vector<Example>& examples);

}  // namespace palimpsest::lab
