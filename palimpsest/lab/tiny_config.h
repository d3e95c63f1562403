// The shape of the lab's own models. They are decoders of the llama family, small enough to be
// trained in half a minute on two cores. A config.json describes them in the same format as large
// models.
#pragma once

#include <cstdint>
#include <string>

#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::lab {

struct TinyShape {
  int64_t layers = 2;
  int64_t width = 128;  // width of the residual stream; a multiple of 2 · heads
  int64_t heads = 4;    // number of attention heads
  int64_t mlp = 384;    // width inside the MLP
  int64_t max_positions = 256;
};

// The text of config.json for a tokenizer's vocabulary and special tokens. Throws Error for an
// impossible shape.
std::string tiny_config(const TinyShape& shape, const tokenizer::Tokenizer& tokenizer);

// The text of the matching generation_config.json: greedy generation up to the end token.
std::string tiny_generation_config(const tokenizer::Tokenizer& tokenizer);

}  // namespace palimpsest::lab
