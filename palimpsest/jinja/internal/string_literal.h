// The escapes of a text literal in a template: Python's, with the quirks of the route by which
// Jinja reads them.
#pragma once

#include <string>
#include <string_view>

namespace palimpsest::jinja {

// The content between the quotation marks, with \n, \x41, \u00e9 … replaced. An escape that Python
// does not know stays as it is. Throws Error for one that is cut short or names no character.
std::string unescape_literal(std::string_view content);

}  // namespace palimpsest::jinja
