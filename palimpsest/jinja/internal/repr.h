// Values as text, exactly as Python writes them: str(), repr() and json.dumps(). What Python would
// write with a memory address in it (a function, a generator) is an Error, since no two runs could
// agree on it.
#pragma once

#include <optional>
#include <string>

#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

std::string to_text(const Value& value, Budget& budget);
std::string to_repr(const Value& value, Budget& budget);

struct JsonOptions {
  bool ensure_ascii = false;
  std::optional<std::string> indent = {};  // what a level is indented by; absent: all on one line
  std::string item_separator = ", ";
  std::string key_separator = ": ";
  bool sort_keys = false;
};
std::string to_json(const Value& value, const JsonOptions& options, Runtime& runtime);

}  // namespace palimpsest::jinja
