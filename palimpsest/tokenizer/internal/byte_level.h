// GPT-2's way to write any bytes as text: each byte becomes one printable character (a space
// becomes Ġ).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "palimpsest/tokenizer/internal/normalized_string.h"

namespace palimpsest::tokenizer {

// The character that stands for a byte.
char32_t byte_level_character(unsigned char byte);

// The byte that a character stands for; nullopt if it stands for none.
std::optional<unsigned char> byte_of_character(char32_t c);

// Replaces every byte of the text by its character.
void map_to_byte_level(NormalizedString& text);

// The bytes that a text of such characters stands for; nullopt if it has any other character.
std::optional<std::string> bytes_of_byte_level(std::string_view text);

}  // namespace palimpsest::tokenizer
