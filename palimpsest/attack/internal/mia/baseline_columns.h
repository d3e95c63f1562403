// The scores of a baseline model (a model that never saw the forget set), in the order of the
// audited examples.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "palimpsest/attack/mia.h"

namespace palimpsest::attack {

struct BaselineColumn {
  ScoredAttack scored;
  // Why this attack cannot be compared with the baseline: its traces lack something, or all of its
  // scores under the baseline are equal. If not empty, there are no scores.
  std::string lacking;
};

// Returns one column per entry of `attacks`, which holds positions in the attack table. The input
// must have a baseline. Its sets may have further examples, in any order; those of the report are
// taken. Throws Error if an audited example is missing or has another text.
std::vector<BaselineColumn> baseline_columns(const MiaInput& input, std::span<const size_t> attacks,
                                             const MiaReport& report);

}  // namespace palimpsest::attack
