// The pre-tokenizers of tokenizer.json. They decide where a normalized text is cut before the model
// sees it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/tokenizer/internal/component_fields.h"
#include "palimpsest/tokenizer/internal/pre_tokenized_string.h"

namespace palimpsest::tokenizer {

// Immutable; threads may share a pre-tokenizer.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  virtual void pre_tokenize(PreTokenizedString& text) const = 0;

  // Whether it needs the position of a piece in the original text.
  virtual bool wants_positions() const { return false; }

  // If the last step only writes bytes as byte-level characters (ByteLevel, or a Sequence that ends
  // with it), returns the same pre-tokenizer without that step; otherwise null. A model that
  // accepts raw bytes can then skip the step.
  virtual std::shared_ptr<const PreTokenizer> without_byte_mapping() const { return nullptr; }
};

using PreTokenizerPtr = std::shared_ptr<const PreTokenizer>;

// A row of the table of pre-tokenizers; see NormalizerKind.
struct PreTokenizerKind {
  std::string_view type;
  PreTokenizerPtr (*load)(ComponentFields& fields);
};

const std::vector<PreTokenizerKind>& pre_tokenizer_table();

// Throws Error, which begins with `where`, for a kind or a field that is not supported.
PreTokenizerPtr load_pre_tokenizer(const Json& json, const std::string& where);

}  // namespace palimpsest::tokenizer
