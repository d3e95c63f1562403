// What each token of a text says, for people to read: " the", "ning", "\n".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::tokenizer {

// One text per token, as it reads behind the token before it. A token that holds only part of a
// character is given by the name that the vocabulary has for it; so are special tokens.
std::vector<std::string> token_texts(const Tokenizer& tokenizer, std::span<const int64_t> ids);

}  // namespace palimpsest::tokenizer
