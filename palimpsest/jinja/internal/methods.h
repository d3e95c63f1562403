// The methods of Python's types that templates may call.
#pragma once

#include <span>
#include <string_view>

#include "palimpsest/jinja/internal/attributes.h"

namespace palimpsest::jinja {

struct NamedMethod {
  std::string_view name;
  Method method;
};

std::span<const NamedMethod> text_methods();

}  // namespace palimpsest::jinja
