// The tokens that ROUGE compares, those of rouge_score's default tokenizer.
#pragma once

#include <string>
#include <string_view>

#include "palimpsest/text/internal/porter_stemmer.h"

namespace palimpsest::text {

// Calls on_token(token) for each token and on_line_end() at each line break, in order. With
// `use_stemmer`, tokens of more than 3 characters are replaced by their Porter stems.
template <class OnToken, class OnLineEnd>
void scan_rouge_tokens(std::string_view text, bool use_stemmer, OnToken on_token,
                       OnLineEnd on_line_end) {
  constexpr size_t kLongestUnstemmed = 3;
  std::string token;
  auto finish = [&] {
    if (use_stemmer && token.size() > kLongestUnstemmed) token = porter_stem(token);
    if (!token.empty()) on_token(token);
    token.clear();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view rest = text.substr(i);
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      token += c;
    } else if (c >= 'A' && c <= 'Z') {
      token += static_cast<char>(c - 'A' + 'a');
    } else if (rest.starts_with("\u212A")) {  // the KELVIN SIGN: its lower case is k
      token += 'k';
      i += 2;
    } else if (rest.starts_with("\u0130")) {  // İ: its lower case is i and a combining dot
      token += 'i';
      i += 1;
      finish();
    } else {
      // No other character outside ASCII has a lower case with one of a-z and 0-9 in it.
      finish();
      if (c == '\n') on_line_end();
    }
  }
  finish();
}

}  // namespace palimpsest::text
