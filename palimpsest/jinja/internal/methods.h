// The methods of Python's types that templates may call.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "palimpsest/jinja/internal/attributes.h"

namespace palimpsest::jinja {

struct NamedMethod {
  std::string_view name;
  Method method;
};

std::span<const NamedMethod> text_methods();

// Returns null if the table has no method with that name.
inline Method find_in(std::span<const NamedMethod> table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &NamedMethod::name);
  return found == table.end() ? nullptr : found->method;
}

// Python's str.replace(). Replaces at most `most` occurrences; < 0 means all. The budget limits the
// result.
std::string replace(std::string_view text, std::string_view old_part, std::string_view new_part,
                    int64_t most, Budget& budget);

}  // namespace palimpsest::jinja
