// The properties of characters as Python's str knows them: classes, case and white space by code
// point. Texts must be valid UTF-8. Character data comes from utf8proc; the data that it lacks
// (mappings to several characters, numeric types) is in unicode_tables.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::python_text {

// The byte offset of the code point with the number `index`, which must be at most their count.
size_t byte_offset(std::string_view text, int64_t index);

// Python's predicates for one character.
bool is_space(char32_t c);
bool is_line_break(char32_t c);
bool is_alpha(char32_t c);
bool is_decimal(char32_t c);
bool is_digit(char32_t c);
bool is_numeric(char32_t c);
bool is_lower(char32_t c);
bool is_upper(char32_t c);
bool is_title(char32_t c);
bool is_alnum(char32_t c);
bool is_printable(char32_t c);
// Whether it is a letter, digit, combining mark or underscore, which may be part of an identifier.
bool is_word(char32_t c);
bool is_identifier_start(char32_t c);

// str.lower(), upper(), title(), capitalize() and swapcase().
std::string to_lower(std::string_view text);
std::string to_upper(std::string_view text);
std::string to_title(std::string_view text);
std::string capitalize(std::string_view text);
std::string swap_case(std::string_view text);

// Python's str.islower(), isupper() and isidentifier().
bool text_is_lower(std::string_view text);
bool text_is_upper(std::string_view text);
bool is_identifier(std::string_view text);

}  // namespace palimpsest::python_text
