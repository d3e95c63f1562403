// Classes of characters as the `tokenizers` package defines them. Its parts follow different
// Unicode versions, so each function says whose definition it uses. All functions are pure.
#pragma once

#include <string_view>

namespace palimpsest::tokenizer {

// Unicode's White_Space property.
bool is_white_space(char32_t c);

// The offset behind the white space that opens a text, and that of the white space that ends it.
size_t behind_leading_space(std::string_view text);
size_t before_trailing_space(std::string_view text);

// The categories Nd, Nl and No.
bool is_numeric(char32_t c);

// ASCII punctuation (including symbols such as $) and the categories P*, as WordPiece tokenizers
// define it.
bool is_punctuation(char32_t c);

// The characters that \w matches in the patterns of the package itself (whole words, Whitespace).
bool is_word_character(char32_t c);

// The categories M*, as in the StripAccents normalizer.
bool is_mark(char32_t c);

// The category Mn, as in the BERT normalizer.
bool is_nonspacing_mark(char32_t c);

// The characters that the BERT normalizer removes: control, format and private-use characters,
// including NUL and U+FFFD, but not tabs and line breaks.
bool is_other(char32_t c);

// CJK ideographs, as in the BERT normalizer.
bool is_chinese_character(char32_t c);

// A number for the character's script; 0 for the space and for characters without a script.
int script_of(char32_t c);

// Appends the lower case of one character. Only U+0130 becomes two characters.
void append_lower_case(std::u32string& text, char32_t c);

}  // namespace palimpsest::tokenizer
