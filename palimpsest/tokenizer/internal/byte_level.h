// GPT-2's way to write any bytes as text: each byte is one printable character (space becomes Ġ).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "palimpsest/tokenizer/internal/normalized_string.h"

namespace palimpsest::tokenizer {

// The character that stands for a byte.
char32_t byte_level_character(unsigned char byte);

// The byte that a character stands for, if any.
std::optional<unsigned char> byte_of_character(char32_t c);

// Every byte of the text becomes its character.
void map_to_byte_level(NormalizedString& text);

// The bytes that a text of such characters stands for, or nothing if another character is in it.
std::optional<std::string> bytes_of_byte_level(std::string_view text);

}  // namespace palimpsest::tokenizer
