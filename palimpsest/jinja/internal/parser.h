// From the text of a template to its tree. The grammar is Jinja's with the tags that transformers
// adds (break, continue, generation). Tags that reach for other templates (include, import,
// extends, block) and autoescape are refused by name.
#pragma once

#include <string_view>

#include "palimpsest/jinja/internal/ast.h"

namespace palimpsest::jinja {

// Parses and resolves the names. Throws Error with the line in it; the text must be UTF-8.
Program parse_template(std::string_view source);

}  // namespace palimpsest::jinja
