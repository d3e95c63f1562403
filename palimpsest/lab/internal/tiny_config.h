// The shape of the lab's own models. They are decoders of the llama family, small enough to be
// trained in half a minute on two cores. A config.json describes them in the same format as large
// models.
#pragma once

#include <string>

#include "palimpsest/lab/training.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::lab {

// The text of config.json for a tokenizer's vocabulary and special tokens. Throws Error for an
// impossible shape.
std::string tiny_config(const TinyShape& shape, const tokenizer::Tokenizer& tokenizer);

// The text of the matching generation_config.json: greedy generation up to the end token.
std::string tiny_generation_config(const tokenizer::Tokenizer& tokenizer);

}  // namespace palimpsest::lab
