// The escape sequences of string literals in templates. They are those of Python, with the
// peculiarities that arise from the way in which Jinja decodes them.
#pragma once

#include <string>
#include <string_view>

namespace palimpsest::jinja {

// Returns the content between the quotes with \n, \x41, \u00e9 … replaced. An unknown escape stays
// as it is. Throws Error for an escape that is incomplete or names no character.
std::string unescape_literal(std::string_view content);

}  // namespace palimpsest::jinja
