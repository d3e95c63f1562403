// Small functions on bytes of text that several modules need.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

// The parts between the separators, at least one: "a,,b" has "a", "" and "b".
std::vector<std::string_view> split(std::string_view text, char separator);

// Whether a line has nothing but spaces and tabs.
bool is_blank(std::string_view line);

// The text with an ASCII capital at its beginning, if it begins with an ASCII letter.
std::string capitalised(std::string text);

// The text as one word of a command for a POSIX shell, in single quotes.
std::string shell_word(std::string_view text);

}  // namespace palimpsest
