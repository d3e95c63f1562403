// Which tokens spell which part of a text. Services return tokens as texts, which need not be the
// exact parts of what was sent: some tokenizers lose spaces, or write them as "▁", and a token that
// is a part of a character cannot be written at all ("\ufffd"). So spaces do not count where texts
// are compared.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "palimpsest/service/internal/logged_response.h"

namespace palimpsest::service {

// If only the text of the first token is not known, but the text that was given is, finds out what
// it is: vLLM leaves it out. It may be nothing, for a token that begins every text.
void fill_first_token(GivenText& given);

// Gives tokens of empty text what stands in their place in the text: llama-cpp-python returns no
// text for special tokens and parts of characters. Of several such tokens in a row, the first gets
// all of it. Does nothing if the other tokens do not spell the rest of the text.
void fill_empty_tokens(std::vector<GivenToken>& tokens, const std::string& text);

// Throws Error unless the tokens spell the text that was given, where that is known.
void require_spelling(const GivenText& given);

// The number of tokens at the beginning that are as long as the text, whatever they spell; all of
// them, if they are shorter.
size_t count_text_tokens(const GivenText& given, const std::string& text);

// The number of tokens at the beginning that spell the prompt. Throws Error if they do not, and if
// the prompt ends within a token.
size_t count_prompt_tokens(const GivenText& given, const std::string& prompt);

}  // namespace palimpsest::service
