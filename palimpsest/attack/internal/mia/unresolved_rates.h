// The false positive rates that were asked for and that the holdout set is too small for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/attack/mia.h"

namespace palimpsest::attack {

struct UnresolvedRate {
  double fpr = 0;
  int64_t needed = 0;  // the number of holdout examples that it needs
  std::string note;    // the report's note about it
};

std::vector<UnresolvedRate> unresolved_rates(const MiaReport& report);

}  // namespace palimpsest::attack
