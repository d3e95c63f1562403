// The normalizers of tokenizer.json, which change a text before it is split.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/tokenizer/internal/component_fields.h"
#include "palimpsest/tokenizer/internal/normalized_string.h"

namespace palimpsest::tokenizer {

// Immutable; threads may share a normalizer.
class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual void normalize(NormalizedString& text) const = 0;
};

using NormalizerPtr = std::shared_ptr<const Normalizer>;

// A kind of normalizer: its `type` in the file, and the function that loads it. The table is a
// value: a program that adds a kind copies the default table and appends its own row.
struct NormalizerKind {
  std::string_view type;
  NormalizerPtr (*load)(ComponentFields& fields);
};

const std::vector<NormalizerKind>& normalizer_table();

// Throws Error, which begins with `where`, for a kind or a field that is not supported.
NormalizerPtr load_normalizer(const Json& json, const std::string& where);

}  // namespace palimpsest::tokenizer
