// Unicode normalization forms, as a list of changes for NormalizedString. The data come from
// utf8proc but are restricted to Unicode 9, which the `tokenizers` package uses: newer characters
// do not decompose and have combining class 0.
#pragma once

#include <string_view>
#include <vector>

#include "palimpsest/tokenizer/internal/normalized_string.h"

namespace palimpsest::tokenizer {

enum class NormalizationForm { kNfc, kNfd, kNfkc, kNfkd };

// The characters of the normalized text. `text` must be valid UTF-8.
std::vector<Change> normalization_changes(std::string_view text, NormalizationForm form);

// A quick check. If it returns true, the text is already in this form; if false, it may be or not.
bool is_surely_normalized(std::string_view text, NormalizationForm form);

}  // namespace palimpsest::tokenizer
