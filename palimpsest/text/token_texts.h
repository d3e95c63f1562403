// What each token adds to a text: for showing tokens one by one, not for putting them together.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/text/tokenizer.h"

namespace palimpsest {

// One text a token, special tokens included. Joined they read like the decoded text, spaces at the
// beginning of words included, except where one character is made of several tokens: each of them
// then shows a replacement character. An id that no token has becomes "".
std::vector<std::string> token_texts(const Tokenizer& tokenizer, std::span<const int64_t> ids);

}  // namespace palimpsest
