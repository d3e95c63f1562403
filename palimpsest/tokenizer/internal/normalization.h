// Unicode normalization forms, with the account of changes that NormalizedString wants. The data
// are utf8proc's, held at Unicode 9, which the `tokenizers` package uses: younger characters do not
// decompose and have combining class 0.
#pragma once

#include <string_view>
#include <vector>

#include "palimpsest/tokenizer/internal/normalized_string.h"

namespace palimpsest::tokenizer {

enum class NormalizationForm { kNfc, kNfd, kNfkc, kNfkd };

// The characters of the normalized text. `text` must be valid UTF-8.
std::vector<Change> normalization_changes(std::string_view text, NormalizationForm form);

// A quick answer: true only if the text is in the form already; false may be wrong.
bool is_surely_normalized(std::string_view text, NormalizationForm form);

}  // namespace palimpsest::tokenizer
