// Python's str methods as functions over UTF-8: what both the methods of a text and the filters
// need. Positions and lengths are in code points.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/text/template/value.h"

namespace palimpsest::jinja {

enum class Side : uint8_t { kLeft = 1, kRight = 2, kBoth = 3 };

// strip(), lstrip(), rstrip(): white space, or the characters of `characters`.
std::string_view strip(std::string_view text, Side side,
                       const std::optional<std::string>& characters = std::nullopt);

// split() and rsplit(): at white space if `separator` is absent; at most `most` times unless < 0.
std::vector<std::string> split(std::string_view text, const std::optional<std::string>& separator,
                               int64_t most);
std::vector<std::string> split_right(std::string_view text,
                                     const std::optional<std::string>& separator, int64_t most);
std::vector<std::string> split_lines(std::string_view text, bool keep_ends);

// replace(): at most `most` occurrences unless < 0. The budget bounds the result.
std::string replace(std::string_view text, std::string_view old_part, std::string_view new_part,
                    int64_t most, Budget& budget);

// The filter `title`: upper case after white space and opening brackets, lower case elsewhere.
std::string title_words(std::string_view text);
// The filter `wordcount`.
int64_t count_words(std::string_view text);

}  // namespace palimpsest::jinja
