// What Python's str knows about characters, for the template language: classes, case and
// white space by code point. Texts are UTF-8 and valid (the callers see to that). Character data
// comes from utf8proc; what it lacks (mappings to several characters, numeric types) is tabled
// here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest::jinja {

// The byte offset of the first sequence that is not UTF-8 (surrogates count as such), or npos.
size_t first_invalid_utf8(std::string_view text);

// The code point that starts at `offset`, which moves behind it.
char32_t next_code_point(std::string_view text, size_t& offset);
void append_code_point(std::string& text, char32_t code_point);
std::u32string decode_utf8(std::string_view text);
std::string encode_utf8(std::u32string_view text);

int64_t count_code_points(std::string_view text);
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

}  // namespace palimpsest::jinja
