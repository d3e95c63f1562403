// Formats an audit as text for people: the answer, a table with intervals, the notes, and a list of
// what a larger holdout set would also show. The text fits into 100 columns and uses no colour.
// Control characters are removed from names that come from files.
#pragma once

#include <string>

#include "palimpsest/attack/mia.h"

namespace palimpsest::attack {

struct MiaTextOptions {
  bool ascii = false;  // only ASCII: no block characters and no long dashes
  bool histograms =
      false;             // adds, per attack, a histogram of the forget set against the holdout set
  bool compare = false;  // adds every pair of attacks
  bool groups = false;   // adds the subgroups, for the attack with the highest AUC
  bool decisions = false;  // adds the decision thresholds
};

std::string mia_to_text(const MiaReport& report, const MiaTextOptions& options = {});

}  // namespace palimpsest::attack
