// What Python's str knows about characters: classes, case and
// white space by code point. Texts are UTF-8 and valid (the callers see to that). Character data
// comes from utf8proc; what it lacks (mappings to several characters, numeric types) is tabled
// here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/text/utf8.h"

namespace palimpsest::python_text {

// The byte offset of the code point of that number; `index` is at most their count.
size_t byte_offset(std::string_view text, int64_t index);

// Python's predicates of one character.
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
// A letter, digit, combining mark or underscore: what an identifier may be made of.
bool is_word(char32_t c);
bool is_identifier_start(char32_t c);

// str.lower(), upper(), title(), capitalize() and swapcase().
std::string to_lower(std::string_view text);
std::string to_upper(std::string_view text);
std::string to_title(std::string_view text);
std::string capitalize(std::string_view text);
std::string swap_case(std::string_view text);

// str.islower(), isupper(), isidentifier()
bool text_is_lower(std::string_view text);
bool text_is_upper(std::string_view text);
bool is_identifier(std::string_view text);

}  // namespace palimpsest::python_text
