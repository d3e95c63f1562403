// Attacks that are written in Python.
#pragma once

#include "palimpsest/attack/attack.h"
#include "python/src/keywords.h"

namespace palimpsest::python {

// Adds the attacks under the keyword own_attacks, if there is one, as rows of the table. Needs the
// GIL. A function is called with the GIL, and gets a trace as a dict.
void add_own_attacks(const Keywords& keywords, attack::AttackTable& attacks);

}  // namespace palimpsest::python
