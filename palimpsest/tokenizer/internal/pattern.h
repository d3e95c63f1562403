// Regular expressions of tokenizer.json. They are written for Oniguruma (Ruby's syntax); we run
// them on PCRE2 after a translation that keeps their meaning, and refuse what we cannot translate.
//
//   Pattern digits = Pattern::regex(R"(\p{N}{1,3})", "tokenizer.json: pre_tokenizer");
//   digits.find_all("ab1234", matches);   // {2, 5}, {5, 6}
//
// A value type; copies share the compiled code, threads may share one pattern. A match that takes
// too long (PCRE2's match limit) is an Error, never a hang.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/tokenizer/internal/normalized_string.h"

namespace palimpsest::tokenizer {

class Pattern {
 public:
  // Throws Error, with `where` in front, if the expression is wrong or cannot be translated.
  static Pattern regex(std::string_view expression, const std::string& where);
  // Matches the text itself.
  static Pattern literal(std::string_view text);

  // All matches from left to right, each searched for behind the one before it; an empty match
  // right behind another one does not count. `text` must be valid UTF-8.
  void find_all(std::string_view text, std::vector<ByteSpan>& matches) const;

  bool can_match_empty() const;

 private:
  struct Compiled;
  Pattern() = default;

  std::shared_ptr<const Compiled> compiled_;  // null: a literal
  std::string literal_;
};

// The translation, for tests: an expression for PCRE2 (UTF, UCP, MULTILINE).
std::string pcre2_from_oniguruma(std::string_view expression, const std::string& where);

}  // namespace palimpsest::tokenizer
