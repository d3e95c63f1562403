// What the methods of a text and the filters share beyond Python's str methods (python_text/internal/text.h):
// replacing within a budget, and Jinja's own notion of words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

// replace(): at most `most` occurrences unless < 0. The budget bounds the result.
std::string replace(std::string_view text, std::string_view old_part, std::string_view new_part,
                    int64_t most, Budget& budget);

// The filter `title`: upper case after white space and opening brackets, lower case elsewhere.
std::string title_words(std::string_view text);
// The filter `wordcount`.
int64_t count_words(std::string_view text);

}  // namespace palimpsest::jinja
