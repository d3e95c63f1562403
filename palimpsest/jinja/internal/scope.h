// Decides at parse time where every variable of a template is stored, by the rules of Jinja's
// compiler. `if` shares the variables around it. for, with, filter, call, macro and block-set have
// their own frame, in which a name that is set starts as a copy of the outer variable. A macro sees
// the variables around it with the values that they have when the macro runs.
#pragma once

#include "palimpsest/jinja/internal/ast.h"

namespace palimpsest::jinja {

// Fills in the references and layouts of a parsed template. Throws Error, which names the line, for
// an unknown filter or test, a break outside a loop, and similar mistakes.
void resolve_names(Program& program);

}  // namespace palimpsest::jinja
