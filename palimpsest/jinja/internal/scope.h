// Decides at parse time where every name of a template lives, with the rules of Jinja's compiler:
// `if` shares the variables around it; for, with, filter, call, macro and block-set have a frame of
// their own, in which a name that is set starts as a copy of the outer one; macros see the
// variables around them as they are when the macro runs.
#pragma once

#include "palimpsest/jinja/internal/ast.h"

namespace palimpsest::jinja {

// Fills in the references and layouts of a parsed template. Throws Error (with the line) for a
// filter or test that does not exist, a break outside a loop, and the like.
void resolve_names(Program& program);

}  // namespace palimpsest::jinja
