// Validates, decodes and encodes UTF-8. Functions that require valid text do not check it again:
// call validate_utf8() first.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace palimpsest::text {

// Returns the offset of the first byte that does not belong to a well-formed character, or nullopt
// if the text is valid. Overlong forms and surrogates are not well-formed.
std::optional<size_t> find_invalid_utf8(std::string_view text);

// Throws Error with the byte offset if the text is not valid UTF-8.
void validate_utf8(std::string_view text);

// The length in bytes of the character that begins with this byte. The text must be valid.
inline size_t utf8_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

inline bool is_utf8_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// Returns the character that starts at `position` and moves `position` past it. The text must be
// valid, and `position` must be the start of a character.
inline char32_t next_code_point(std::string_view text, size_t& position) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(text[position + i]); };
  const unsigned char first = at(0);
  char32_t c = first;
  if (first < 0x80) {
    position += 1;
  } else if (first < 0xE0) {
    c = ((first & 0x1FU) << 6) | (at(1) & 0x3FU);
    position += 2;
  } else if (first < 0xF0) {
    c = ((first & 0x0FU) << 12) | ((at(1) & 0x3FU) << 6) | (at(2) & 0x3FU);
    position += 3;
  } else {
    c = ((first & 0x07U) << 18) | ((at(1) & 0x3FU) << 12) | ((at(2) & 0x3FU) << 6) |
        (at(3) & 0x3FU);
    position += 4;
  }
  return c;
}

// Returns the start of the character that ends before `position`, which must be greater than 0.
inline size_t previous_boundary(std::string_view text, size_t position) {
  do --position;
  while (position > 0 && is_utf8_continuation(text[position]));
  return position;
}

// The number of bytes that the character takes in UTF-8.
inline size_t utf8_length(char32_t c) {
  return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

void append_utf8(std::string& text, char32_t c);
std::string to_utf8(char32_t c);
std::string to_utf8(std::u32string_view text);
std::u32string to_code_points(std::string_view text);

// The number of characters in a valid text.
size_t count_code_points(std::string_view text);

// Turns any bytes into valid UTF-8. Every maximal part of an ill-formed character becomes U+FFFD,
// as Unicode recommends and as Rust and web browsers do.
std::string lossy_utf8(std::string_view bytes);

// Replaces every occurrence of `from`, left to right and without overlaps. An empty `from` matches
// before every character and at the end.
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

}  // namespace palimpsest::text
