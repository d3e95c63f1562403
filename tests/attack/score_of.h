// The score that an attack of the default table gives to a trace. So the test of an attack needs
// nothing but its row.
#pragma once

#include <optional>
#include <string_view>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

// `selected` as in select_attacks(): "loss" or "min_k:k=0.3".
inline std::optional<double> score_of(std::string_view selected, const trace::Trace& trace,
                                      const trace::Trace& reference = {}) {
  const Attack attack = select_attacks(default_attack_table(), selected).at(0);
  return attack.score_of(trace, &reference, attack.values());
}

}  // namespace palimpsest::attack
