// A regular expression for names of modules, as in PEFT's configurations. It has Python's syntax,
// as far as PCRE2 supports it. A match that takes too long throws Error and never hangs.
//
// A ModuleRegex is a value: copies share the compiled code, and threads may share it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace palimpsest::model {

class ModuleRegex {
 public:
  // Throws Error, which begins with `where`, if the expression is invalid or cannot be translated.
  ModuleRegex(std::string_view expression, const std::string& where);

  // Whether the whole name matches, as in Python's re.fullmatch().
  bool matches(std::string_view module) const;
  // The first group of the expression, matched from the beginning of the name as in Python's
  // re.match(). Returns nullopt if there is no match.
  std::optional<std::string> first_group(std::string_view module) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace palimpsest::model
