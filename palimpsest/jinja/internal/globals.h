// The functions that every template may call: range, dict, namespace, cycler, joiner, and two that
// transformers adds, raise_exception and strftime_now.
#pragma once

#include <string_view>

#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

// Returns a missing value if there is no global with that name.
Value find_global(std::string_view name, Runtime& runtime);

}  // namespace palimpsest::jinja
