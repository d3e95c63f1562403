// The pre-tokenizers of tokenizer.json: where a normalized text is cut before the model sees it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/tokenizer/internal/component_fields.h"
#include "palimpsest/tokenizer/internal/pre_tokenized_string.h"

namespace palimpsest::tokenizer {

// Immutable; threads may share one.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  virtual void pre_tokenize(PreTokenizedString& text) const = 0;

  // Whether it must know where in the original text a piece begins.
  virtual bool wants_positions() const { return false; }

  // The same pre-tokenizer without its last step, where that only writes bytes as byte-level
  // characters (ByteLevel, or a Sequence that ends in one); null for all others. A model that takes
  // bytes as they are can then save that step.
  virtual std::shared_ptr<const PreTokenizer> without_byte_mapping() const { return nullptr; }
};

using PreTokenizerPtr = std::shared_ptr<const PreTokenizer>;

// One line of the table of pre-tokenizers, see NormalizerKind.
struct PreTokenizerKind {
  std::string_view type;
  PreTokenizerPtr (*load)(ComponentFields& fields);
};

const std::vector<PreTokenizerKind>& pre_tokenizer_table();

// Throws Error, with the place in front, for a kind or a field that is not supported.
PreTokenizerPtr load_pre_tokenizer(const Json& json, const std::string& where);

}  // namespace palimpsest::tokenizer
