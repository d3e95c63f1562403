// Regular expressions of tokenizer.json. They are written for Oniguruma (Ruby's syntax) and run on
// PCRE2 after a translation that keeps their meaning. Expressions that cannot be translated are
// refused.
//
//   Pattern digits = Pattern::regex(R"(\p{N}{1,3})", "tokenizer.json: pre_tokenizer");
//   digits.find_all("ab1234", matches);   // {2, 5}, {5, 6}
//
// A Pattern is a value; copies share the compiled code, and threads may share a pattern. A match
// that takes too long (PCRE2's match limit) throws Error and never hangs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/tokenizer/internal/normalized_string.h"

namespace palimpsest::tokenizer {

class Pattern {
 public:
  // Throws Error, which begins with `where`, if the expression is wrong or cannot be translated.
  static Pattern regex(std::string_view expression, const std::string& where);
  // A pattern that matches exactly this text.
  static Pattern literal(std::string_view text);

  // Finds all matches from left to right; each search starts at the end of the match before. An
  // empty match directly after another match does not count. `text` must be valid UTF-8.
  void find_all(std::string_view text, std::vector<ByteSpan>& matches) const;

  bool can_match_empty() const;

 private:
  struct Compiled;
  Pattern() = default;

  std::shared_ptr<const Compiled> compiled_;  // null: a literal
  std::string literal_;
};

// Translates an expression for PCRE2 (with UTF, UCP and MULTILINE).
std::string pcre2_from_oniguruma(std::string_view expression, const std::string& where);

// The expression for messages; the end of a long one is left out. The text must be valid UTF-8.
std::string shown_pattern(std::string_view expression);
// Translates the name of a Unicode property from Oniguruma's \p{…} to PCRE2's. `folded` is the name
// in lower case without spaces, hyphens and underscores; `name` is the name as written. Returns
// nullopt for a name that PCRE2 lacks, or whose meaning differs between the two.
std::optional<std::string> pcre2_property(std::string_view folded, std::string_view name);

}  // namespace palimpsest::tokenizer
