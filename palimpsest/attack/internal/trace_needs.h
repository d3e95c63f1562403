// What the needs in attack.h and the attacks that have them must name alike.
#pragma once

#include <string>

namespace palimpsest::attack {

// The key of Trace::grad_norm: "1", "2" or "inf".
std::string grad_norm_key(double p);

}  // namespace palimpsest::attack
