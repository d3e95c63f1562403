// Converts JSON to template values, as json.loads() would for a template.
#pragma once

#include <string>
#include <string_view>

#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

// Parses one document. Error messages begin with `where`. Throws Error for integers beyond 64 bits,
// because a template would print all their digits.
Value parse_json_value(std::string_view text, const std::string& where, Budget* budget);

}  // namespace palimpsest::jinja
