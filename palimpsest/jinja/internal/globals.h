// The functions that every template may call: range, dict, namespace, cycler, joiner and the two
// that transformers adds, raise_exception and strftime_now.
#pragma once

#include <string_view>

#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

// Missing if there is no global of that name.
Value find_global(std::string_view name, Runtime& runtime);

}  // namespace palimpsest::jinja
