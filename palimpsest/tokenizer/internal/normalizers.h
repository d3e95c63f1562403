// The normalizers of tokenizer.json, which change a text before it is split.
#pragma once

#include <functional>
#include <string>

#include "palimpsest/tokenizer/internal/component_fields.h"
#include "palimpsest/tokenizer/internal/normalized_string.h"

namespace palimpsest::tokenizer {

// Threads may share a normalizer. An empty one stands for none.
using Normalizer = std::function<void(NormalizedString& text)>;

// Throws Error, which begins with `where`, for a kind or a field that is not supported.
Normalizer load_normalizer(const Json& json, const std::string& where);

}  // namespace palimpsest::tokenizer
