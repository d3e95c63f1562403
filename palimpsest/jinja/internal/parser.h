// Parses the text of a template into its syntax tree. The grammar is that of Jinja with the tags
// that transformers adds (break, continue, generation). Tags that refer to other templates
// (include, import, extends, block) and autoescape are refused by name.
#pragma once

#include <string_view>

#include "palimpsest/jinja/internal/ast.h"

namespace palimpsest::jinja {

// Parses the template and resolves its names. The text must be UTF-8. Throws Error, which names the
// line.
Program parse_template(std::string_view source);

}  // namespace palimpsest::jinja
