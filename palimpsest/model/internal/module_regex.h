// A regular expression over the names of modules, as PEFT's configurations hold them: Python's
// syntax, as far as PCRE2 shares it. A match that takes too long is an Error, never a hang.
//
// A value type; copies share the compiled code, and threads may share one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace palimpsest::model {

class ModuleRegex {
 public:
  // Throws Error, with `where` in front, if the expression is wrong or cannot be read.
  ModuleRegex(std::string_view expression, const std::string& where);

  // Whether the whole name matches, as re.fullmatch() says.
  bool matches(std::string_view module) const;
  // The expression's first group, matched from the name's beginning as re.match() does; nothing
  // without a match.
  std::optional<std::string> first_group(std::string_view module) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace palimpsest::model
