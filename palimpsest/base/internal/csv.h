// Comma-separated values as RFC 4180 has them.
#pragma once

#include <string>
#include <string_view>

namespace palimpsest {

// The text as one cell: quoted where it holds a comma, a quote or a line break.
std::string csv_cell(std::string_view text);

// The same for files that people open in a spreadsheet, which would compute what begins with = + - @
// or a tab: an apostrophe stands before such a text unless it is a number.
std::string csv_safe_cell(std::string_view text);

}  // namespace palimpsest
