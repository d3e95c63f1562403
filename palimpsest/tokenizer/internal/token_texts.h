// The text of each token, for people to read: " the", "ning", "\n".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::tokenizer {

// Returns one text per token: what the token adds to the text after the preceding token. A token
// that holds only part of a character, or is special, is shown by its name in the vocabulary.
std::vector<std::string> token_texts(const Tokenizer& tokenizer, std::span<const int64_t> ids);

}  // namespace palimpsest::tokenizer
