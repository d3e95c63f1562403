// The decoders of tokenizer.json: from tokens back to text. Each turns a list of strings into a
// list of strings; what is left at the end is joined.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/tokenizer/internal/component_fields.h"

namespace palimpsest::tokenizer {

// Immutable; threads may share one.
class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual void decode(std::vector<std::string>& tokens) const = 0;
};

using DecoderPtr = std::shared_ptr<const Decoder>;

// One line of the table of decoders, see NormalizerKind.
struct DecoderKind {
  std::string_view type;
  DecoderPtr (*load)(ComponentFields& fields);
};

const std::vector<DecoderKind>& decoder_table();

// Throws Error, with the place in front, for a kind or a field that is not supported.
DecoderPtr load_decoder(const Json& json, const std::string& where);

// Takes back what tokenizers do to English: " ." becomes ".", " n't" "n't" and so on, as
// tokenizer_config's clean_up_tokenization_spaces asks for.
std::string clean_up_tokenization(std::string_view text);

}  // namespace palimpsest::tokenizer
