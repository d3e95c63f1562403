// What kind of character is this? The answers are those of the `tokenizers` package, whose parts
// follow different Unicode versions: each function says whose notion it is. Pure functions.
#pragma once

#include <string>

namespace palimpsest::tokenizer {

// Unicode's White_Space property.
bool is_white_space(char32_t c);

// Categories Nd, Nl, No.
bool is_numeric(char32_t c);

// ASCII punctuation (with symbols such as $) or the categories P*, as WordPiece tokenizers count.
bool is_punctuation(char32_t c);

// What \w matches in the patterns that the package itself brings (whole words, Whitespace).
bool is_word_character(char32_t c);

// Categories M*, as the StripAccents normalizer counts.
bool is_mark(char32_t c);

// Category Mn, as the BERT normalizer counts.
bool is_nonspacing_mark(char32_t c);

// Control, format and private-use characters, NUL and U+FFFD included, tab and line breaks not:
// what the BERT normalizer cleans away.
bool is_other(char32_t c);

// CJK ideographs, as the BERT normalizer counts.
bool is_chinese_character(char32_t c);

// A number for the character's script; 0 for characters of no script (and the space).
int script_of(char32_t c);

// Appends the lower case of one character; only U+0130 becomes two.
void append_lower_case(std::u32string& text, char32_t c);

}  // namespace palimpsest::tokenizer
