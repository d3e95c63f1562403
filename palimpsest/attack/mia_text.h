// An audit as text for people: the answer, one table with intervals, a small histogram of
// forget against holdout for each attack, and the notes. Readable at 100 columns, no colour.
// Names from files lose their control characters.
#pragma once

#include <string>

#include "palimpsest/attack/mia.h"

namespace palimpsest::attack {

struct MiaTextOptions {
  bool ascii = false;      // no block characters, no dashes beyond ASCII
  bool compare = false;    // every pair of attacks
  bool groups = false;     // the subgroups, under the attack with the highest AUC
  bool decisions = false;  // the thresholds
};

std::string mia_to_text(const MiaReport& report, const MiaTextOptions& options = {});

}  // namespace palimpsest::attack
