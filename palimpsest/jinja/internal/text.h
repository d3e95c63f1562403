// Text functions that methods and filters share, in addition to Python's str methods
// (python_text/internal/text.h): replacing within a budget, and Jinja's own notion of words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

// Python's replace(). Replaces at most `most` occurrences; < 0 means all. The budget limits the
// result.
std::string replace(std::string_view text, std::string_view old_part, std::string_view new_part,
                    int64_t most, Budget& budget);

// The filter `title`: letters after white space and opening brackets become upper case, all others
// lower case.
std::string title_words(std::string_view text);
// The filter `wordcount`.
int64_t count_words(std::string_view text);

}  // namespace palimpsest::jinja
