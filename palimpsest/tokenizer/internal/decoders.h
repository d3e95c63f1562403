// The decoders of tokenizer.json, which turn tokens back into text. Each decoder turns a list of
// strings into another list of strings; the final list is joined.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/tokenizer/internal/component_fields.h"

namespace palimpsest::tokenizer {

// Threads may share a decoder. An empty one stands for none.
using Decoder = std::function<void(std::vector<std::string>& tokens)>;

// Throws Error, which begins with `where`, for a kind or a field that is not supported.
Decoder load_decoder(const Json& json, const std::string& where);

// Removes the spaces that tokenizers leave in English text, if clean_up_tokenization_spaces is set:
// " ." becomes ".", " n't" becomes "n't", and so on.
std::string clean_up_tokenization(std::string_view text);

}  // namespace palimpsest::tokenizer
