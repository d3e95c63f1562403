// Python's repr() of floats and texts. str() of a list or a dict also uses it.
#pragma once

#include <string>
#include <string_view>

namespace palimpsest::python_text {

// Python's repr() of a float: the shortest digits that read back as the same number.
std::string real_to_text(double value);
// The escape sequence of a character in Python's repr(): \x07, \u200b or \U000e0001.
std::string escape(char32_t c);
// Python's repr() of a str.
std::string quote(std::string_view text);

}  // namespace palimpsest::python_text
