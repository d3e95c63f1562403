// The pre-tokenizers of tokenizer.json. They decide where a normalized text is cut before the model
// sees it.
#pragma once

#include <functional>
#include <string>

#include "palimpsest/tokenizer/internal/component_fields.h"
#include "palimpsest/tokenizer/internal/pre_tokenized_string.h"

namespace palimpsest::tokenizer {

// Threads may share a pre-tokenizer.
struct PreTokenizer {
  using Function = std::function<void(PreTokenizedString& text)>;

  Function run = nullptr;  // empty: there is no pre-tokenizer
  // If the last step only writes bytes as byte-level characters (ByteLevel, or a Sequence that ends
  // with it), this does the same without that step; otherwise it is empty. A model that accepts raw
  // bytes can then skip the step.
  Function without_byte_mapping = nullptr;
  bool wants_positions = false;  // whether it needs the position of a piece in the original text
};

// Throws Error, which begins with `where`, for a kind or a field that is not supported.
PreTokenizer load_pre_tokenizer(const Json& json, const std::string& where);

}  // namespace palimpsest::tokenizer
