// Converts values to text exactly as Python does: str(), repr() and json.dumps(). Throws Error for
// a value that Python would show with a memory address (a function, a generator), because the text
// would differ from run to run.
#pragma once

#include <optional>
#include <string>

#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

std::string to_text(const Value& value, Budget& budget);
std::string to_repr(const Value& value, Budget& budget);

struct JsonOptions {
  bool ensure_ascii = false;
  std::optional<std::string> indent = {};  // the indentation of one level; absent: all on one line
  std::string item_separator = ", ";
  std::string key_separator = ": ";
  bool sort_keys = false;
};
std::string to_json(const Value& value, const JsonOptions& options, Runtime& runtime);

}  // namespace palimpsest::jinja
