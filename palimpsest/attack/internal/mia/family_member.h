// One attack of an audit as the analysis of all attacks together sees it: its scores, and those of
// the baseline model.
#pragma once

#include <optional>
#include <string>

#include "palimpsest/attack/mia/score_columns.h"

namespace palimpsest::attack {

struct FamilyMember {
  std::string attack;
  ScoreColumns scores;
  std::optional<ScoreColumns> baseline = {};  // the same examples under the baseline model
  // Whether the attack takes part in the answer. If not, it gets only its own interval. Attacks are
  // excluded if another one was named as the primary attack, or if their reference model itself
  // knows the forget set.
  bool in_family = true;
};

}  // namespace palimpsest::attack
