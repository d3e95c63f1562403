// Writes cells of comma-separated values (RFC 4180).
#pragma once

#include <string>
#include <string_view>

namespace palimpsest {

// The text as a cell. It is quoted if it contains a comma, a quote or a line break.
std::string csv_cell(std::string_view text);

// The same for files that people open in a spreadsheet. A spreadsheet evaluates cells that begin
// with = + - @ or a tab. So an apostrophe is put before such a text, unless it is a number.
std::string csv_safe_cell(std::string_view text);

}  // namespace palimpsest
