// JSON as template values: what json.loads() would hand to a template.
#pragma once

#include <string>
#include <string_view>

#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

// One document. `where` opens the error message. Integers beyond 64 bits are refused, since a
// template would print them digit by digit.
Value parse_json_value(std::string_view text, const std::string& where, Budget* budget);

}  // namespace palimpsest::jinja
