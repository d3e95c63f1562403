// The decoders of tokenizer.json, which turn tokens back into text. Each decoder turns a list of
// strings into another list of strings; the final list is joined.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/tokenizer/internal/component_fields.h"

namespace palimpsest::tokenizer {

// Immutable; threads may share a decoder.
class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual void decode(std::vector<std::string>& tokens) const = 0;
};

using DecoderPtr = std::shared_ptr<const Decoder>;

// A row of the table of decoders; see NormalizerKind.
struct DecoderKind {
  std::string_view type;
  DecoderPtr (*load)(ComponentFields& fields);
};

const std::vector<DecoderKind>& decoder_table();

// Throws Error, which begins with `where`, for a kind or a field that is not supported.
DecoderPtr load_decoder(const Json& json, const std::string& where);

// Removes the spaces that tokenizers leave in English text, if clean_up_tokenization_spaces is set:
// " ." becomes ".", " n't" becomes "n't", and so on.
std::string clean_up_tokenization(std::string_view text);

}  // namespace palimpsest::tokenizer
